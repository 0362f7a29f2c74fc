"""Programs that components may need, and the folder and record of those that are managed."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.dependencies.downloads.chart_versions import Version
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

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


@dataclass(frozen=True, slots=True)
class ToolFolder:
    """The folder of managed tools; Commodore uses the same record."""

    path: Path

    @property
    def record(self) -> Path:
        """One JSON object: tool to local time."""
        return self.path / "state.json"

    def program(self, tool: str) -> Path:
        """The program of a managed tool."""
        return self.path / tool

    def holds(self, tool: Tool) -> bool:
        """Return whether the program that was found is ours."""
        return tool.path is not None and Path(tool.path).parent.resolve() == self.path.resolve()

    def version_of(self, tool: str) -> str | None:
        """The version of a managed program, if it exists and prints one."""
        program = self.program(tool)
        return version_in(query_version(tool, str(program)).version) if program.is_file() else None

    def managed(self) -> dict[str, str]:
        """The tools that we manage, and when each was last installed."""
        problem = "expected an object of tool names and times"
        try:
            content = json_text.load(self.record.read_bytes(), name=str(self.record))
            if isinstance(content, dict) and all(isinstance(v, str) for v in content.values()):
                return content
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or str(error)
        raise CommodoreError(
            f"cannot read the record of managed tools: {problem}",
            where=str(self.record),
            hint="fix or remove the file; `commodore tool install --missing` creates a new one",
        )

    def drop_foreign(self, tools: Iterable[Tool]) -> tuple[Tool, ...]:
        """Stop managing tools that are found elsewhere; returns these."""
        managed = self.managed()
        foreign = tuple(t for t in tools if t.name in managed and t.path and not self.holds(t))
        if foreign:
            names = {tool.name for tool in foreign}
            self._write({name: when for name, when in managed.items() if name not in names})
        return foreign

    def note(self, tool: str, when: datetime) -> None:
        """Record that a tool was installed now."""
        self._write({**self.managed(), tool: when.replace(tzinfo=None).isoformat("T", "seconds")})

    def _write(self, managed: Mapping[str, str]) -> None:
        write_if_changed(self.record, json.dumps(managed).encode())
