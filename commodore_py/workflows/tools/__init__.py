"""The external programs that components may need."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from commodore_py.adapters.process import ProgramFailed, run

VERSION_COMMANDS = {
    "helm": ("version", "--template", "{{.Version}}"),
    "jb": ("--version",),
    "kustomize": ("version",),
}
TOOLS = tuple(VERSION_COMMANDS)

BUILT_IN = {"jb": "only used with --jsonnet-bundler jb"}
"""Tools whose work we do ourselves, but for this."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, and where it was found; no path means it was not."""

    name: str
    path: str | None
    version: str = ""

    @property
    def works(self) -> bool:
        """Whether it is there and says which version it is."""
        return self.path is not None and bool(self.version)


def installed_tools() -> tuple[Tool, ...]:
    """Each tool as it would be used."""
    return tuple(look_up(name) for name in TOOLS)


def located_tools() -> tuple[Tool, ...]:
    """Where each tool would be found, without asking it for its version."""
    return tuple(Tool(name, shutil.which(name)) for name in TOOLS)


def look_up(name: str) -> Tool:
    """One of the tools as it would be used."""
    path = shutil.which(name)
    return ask(name, path) if path else Tool(name, None)


def ask(name: str, path: str) -> Tool:
    """The version that a program itself says it has."""
    try:
        # jb prints its version on stderr: both streams count.
        output = run([path, *VERSION_COMMANDS[name]], merge_stderr=True)
    except ProgramFailed as error:
        return Tool(name, path, error.stderr.strip())
    return Tool(name, path, output.decode(errors="replace").strip())
