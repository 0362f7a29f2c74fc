"""The request of an edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

Level = Literal["cluster", "tenant", "global"]
Verb = Literal["set", "unset", "add", "remove"]


class UnknownName(CommodoreError):
    """An edit names a target, a component or an application that does not exist."""

    problem_code = "edit/unknown-name"


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
    item: str = ""
    """The key or the text of an item of the list at the path, which is set or removed."""

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"
