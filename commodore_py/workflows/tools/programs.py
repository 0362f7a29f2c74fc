"""The programs that components may need: where they are, and which version they have."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.dependencies.downloads.chart_versions import Version

VERSION_COMMANDS = {
    "helm": ("version", "--template", "{{.Version}}"),
    "jb": ("--version",),
    "kustomize": ("version",),
    "opa": ("eval", "--format=raw", "opa.runtime().version"),
}
TOOLS = ("helm", "jb", "kustomize")
"""The tools that components need: listed, and installed with `--missing`."""
OPTIONAL_TOOLS = ("opa",)
"""Installed by name only."""
BUILT_IN = {"jb": "not used"}
"""Tools that are built in, and when the program is used nevertheless."""

_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?!\.?\d)(?:[-+][0-9A-Za-z.-]+)*")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program and its location; no path if it was not found."""

    name: str
    path: str | None
    version: str = ""

    @property
    def works(self) -> bool:
        """True if it was found and prints its version."""
        return self.path is not None and bool(self.version)


def installed_tools() -> tuple[Tool, ...]:
    """Each tool as it would be used."""
    return tuple(find_tool(name) for name in TOOLS)


def optional_tools() -> tuple[Tool, ...]:
    """The optional tools that are installed."""
    return tuple(tool for name in OPTIONAL_TOOLS if (tool := find_tool(name)).path)


def located_tools() -> tuple[Tool, ...]:
    """The location of each tool, without its version."""
    return tuple(Tool(name, shutil.which(name)) for name in (*TOOLS, *OPTIONAL_TOOLS))


def find_tool(name: str) -> Tool:
    """One of the tools as it would be used."""
    path = shutil.which(name)
    return query_version(name, path) if path else Tool(name, None)


def query_version(name: str, path: str) -> Tool:
    """The version that a program prints."""
    try:
        # jb prints its version on stderr: both streams count.
        output = run([path, *VERSION_COMMANDS[name]], merge_stderr=True)
    except ProgramFailed as error:
        return Tool(name, path, error.stderr.strip())
    return Tool(name, path, output.decode(errors="replace").strip())


def version_in(output: str) -> str | None:
    """The first version that a program names, with its `v`; it may print warnings around it."""
    match = _VERSION.search(output)
    return f"v{match[0].removeprefix('v')}" if match else None


def upgrade_available(installed: str, latest: str) -> bool:
    """Return whether the latest version is newer than the one that a program reports."""
    present, newest = Version.parse(version_in(installed) or ""), Version.parse(latest)
    if present is None or newest is None:
        return installed.removeprefix("v") != latest.removeprefix("v")
    return newest > present


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """One tool, as a list shows it."""

    tool: Tool
    managed: bool
    updated: str | None
    latest: str | None

    @property
    def upgradable(self) -> bool | None:
        """True if there is a newer version; None when that is not known."""
        return upgrade_available(self.tool.version, self.latest) if self.latest else None
