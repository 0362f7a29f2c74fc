"""The request of an edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

Level = Literal["cluster", "tenant", "global"]
Verb = Literal["set", "unset", "add", "remove"]


@dataclass(frozen=True, slots=True)
class Request:
    """A change of a parameter, or of the list of applications."""

    verb: Verb
    path: str
    value: Any = None
    """What is set, added or removed."""
    level: Level = "cluster"
    at: Path | None = None
    """A class file; otherwise the layer is looked for."""
    target: str = ""
    """The target whose layers count; all have the same classes of tenant and global repository."""

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"
