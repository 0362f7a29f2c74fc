"""The external programs that components may need."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from commodore_py.adapters.process import ProgramFailed, run

_VERSION_COMMANDS = {
    "helm": ("version", "--template", "{{.Version}}"),
    "jb": ("--version",),
    "kustomize": ("version",),
}


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, and where it was found; no path means it was not."""

    name: str
    path: str | None
    version: str = ""


def installed_tools() -> tuple[Tool, ...]:
    """Each tool as it would be used."""
    return tuple(_look_up(name) for name in _VERSION_COMMANDS)


def _look_up(name: str) -> Tool:
    path = shutil.which(name)
    if path is None:
        return Tool(name, None)
    try:
        # jb prints its version on stderr: both streams count.
        output = run([path, *_VERSION_COMMANDS[name]], merge_stderr=True)
    except ProgramFailed as error:
        return Tool(name, path, error.stderr.strip())
    return Tool(name, path, output.decode(errors="replace").strip())
