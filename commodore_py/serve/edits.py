"""Edits as callers request them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Verb = Literal["set", "unset", "add", "set item", "remove item", "enable", "disable"]
Level = Literal["cluster", "tenant", "global"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a value, of an item of a list, or of an instance."""

    verb: Verb
    path: str
    value: Any = None
    item: str = ""
    """The key of the item, or the name of the instance."""
    level: Level = "cluster"
    at: str = ""
    """A class file below the working directory."""
    target: str = ""
    """The instance whose layers count."""
    is_yaml: bool = False
    """Whether the value is written as in class files."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How an edit is to be carried out."""

    author: str
    """The caller, who becomes the author of the commit."""
    base: str = ""
    """The version of the configuration that the caller has seen; any if empty."""
    dry_run: bool = False
    clusters: tuple[str, ...] = ()
    """Other clusters to compile with the edit, or `all`."""
