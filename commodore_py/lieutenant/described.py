"""An object from outside, and where it was found: read field by field, problems collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, TypeAlias

from commodore_py.errors import CommodoreError

Lines: TypeAlias = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Described:
    """An object as it was found, under a URL or in a file."""

    fields: Mapping[str, Any]
    name: str
    lines: Callable[[], Lines] | None = None
    """For a file: finds the line of each key, when one is asked for."""

    def place(self, *path: str) -> str:
        """Where a field stands, or where the nearest one around it does."""
        if self.lines is None:
            return self.name
        lines = self.lines()
        while path and path not in lines:
            path = path[:-1]
        return f"{self.name}:{lines[path]}"


class Reader:
    """Gives the fields of an object their types, and keeps every problem on the way."""

    def __init__(self, found: Described) -> None:
        self.found = found
        self.problems: list[CommodoreError] = []
        self._rejected: set[tuple[str, ...]] = set()

    def __contains__(self, field: str) -> bool:
        return field in self.found.fields

    def text(self, *path: str) -> str:
        """A text; empty when there is none."""
        holder = self.mapping(*path[:-1])
        value = holder.get(path[-1])
        if value is None or isinstance(value, str):
            return value or ""
        self.reject(f"{'.'.join(path)} must be a text, not {kind_of(value)}", *path, hint=_QUOTE)
        return ""

    def needed(self, *path: str, missing: str, hint: str) -> str:
        """A text that must be there."""
        value = self.text(*path)
        if not value and not self.has_rejected(*path):
            self.reject(missing, *path, hint=hint)
        return value

    def name(self, field: str, *, missing: str, hint: str) -> str:
        """A text that must be there and may name a folder."""
        value = self.needed(field, missing=missing, hint=hint)
        if value and not is_plain_name(value):
            self.reject(f"{field} is not a plain name: {value!r}", field)
        return value

    def mapping(self, *path: str) -> Mapping[str, Any]:
        """A mapping; empty when there is none."""
        holder = self.found.fields
        for depth, key in enumerate(path, start=1):
            value = holder.get(key)
            if value is None:
                return {}
            if not isinstance(value, Mapping):
                here = path[:depth]
                if here not in self._rejected:
                    self.reject(f"{'.'.join(here)} must be a mapping, not {kind_of(value)}", *here)
                return {}
            holder = value
        return holder

    def reject(self, message: str, *path: str, hint: str = "") -> None:
        """Remember a problem with a field."""
        self._rejected.add(path)
        self.problems.append(CommodoreError(message, where=self.found.place(*path), hint=hint))

    def has_rejected(self, *path: str) -> bool:
        """Whether a field, or one around it, has been told as a problem."""
        return any(path[:depth] in self._rejected for depth in range(1, len(path) + 1))


_QUOTE = "put it in quotes"


def is_plain_name(name: str) -> bool:
    """Whether a name can be one folder or file, and nothing outside of where it is put."""
    return name not in {"", ".", ".."} and not any(c in "/\\" or c < " " for c in name)


def kind_of(value: object) -> str:
    """What a value from YAML or JSON is called."""
    for kinds, name in _KINDS:
        if isinstance(value, kinds):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (NoneType, "nothing"),
    (bool, "true or false"),  # before numbers: a bool is an int, too
    (str, "a text"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a mapping"),
)
