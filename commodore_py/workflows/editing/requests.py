"""What an edit is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

Level = Literal["cluster", "tenant", "global"]
Verb = Literal["set", "unset", "append", "remove", "override", "enable", "disable"]


@dataclass(frozen=True, slots=True)
class Request:
    """An operation on a parameter, or on the list of applications."""

    verb: Verb
    path: str
    """The path of a parameter; for `enable` and `disable`, the name of an application."""
    values: tuple[Any, ...] = ()
    """One for `set` and `override`; items for `append` and `remove`."""
    constant: bool = False
    """Whether `override` makes the key constant."""

    def __str__(self) -> str:
        word = "application " if self.verb in ("enable", "disable") else ""
        return f"{word}{self.verb} {self.path}"


@dataclass(frozen=True, slots=True)
class Where:
    """What an edit may change."""

    level: Level = "cluster"
    at: Path | None = None
    """A class file; otherwise the layer is looked for."""
    target: str = ""
    """The target whose layers count; all have the same classes of tenant and global repository."""
    through_anchors: bool = False
    replace_references: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """A request, and where it may be carried out."""

    request: Request
    where: Where
