"""The folder of managed tools, and the record of when each was installed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.errors import CommodoreError

from .programs import query_version, version_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from .programs import Tool


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
