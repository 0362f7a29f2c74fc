"""An object of the API, from a server or a file: typed fields, collected problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError
from commodore_py.model.names import kind_of, problem_of_path, typo_of

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ApiObject:
    """An object, and the URL or file it was read from."""

    fields: Mapping[str, Any]
    name: str
    line_of: Callable[[Sequence[str]], int] | None = None
    """For a file: finds the line of a field, or of the closest one around it."""

    def place(self, *path: str) -> str:
        """File and line of a field or of the closest one around it; the URL on a server."""
        return f"{self.name}:{self.line_of(path)}" if self.line_of else self.name


def read_object(path: Path, *, expected: str, content: bytes | None = None) -> ApiObject:
    """The mapping in a file, or in the `content` that it is to have.

    `expected` describes it for error messages.
    """
    try:
        text = bytes_of(str(path)) if content is None else content
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(path)) from error
    value = yaml.load(text, name=str(path))
    if not isinstance(value, dict):
        raise CommodoreError(
            f"expected a mapping, found {kind_of(value)}",
            where=f"{path}:1",
            hint=f"the file holds {expected}",
        )
    return ApiObject(value, str(path), lambda field: yaml.line_at(text, (0, *field)))


class FieldReader:
    """Reads the fields of an object with their types, and collects the problems."""

    def __init__(self, api_object: ApiObject) -> None:
        self.api_object = api_object
        self.problems: list[CommodoreError] = []
        self._rejected: set[tuple[str, ...]] = set()

    def __contains__(self, field: str) -> bool:
        return field in self.api_object.fields

    def text(self, *path: str) -> str:
        """A string; empty if the field is missing."""
        holder = self.mapping(*path[:-1])
        value = holder.get(path[-1])
        if value is None or isinstance(value, str):
            return value or ""
        self.reject(f"{'.'.join(path)} must be a string, not {kind_of(value)}", *path, hint=_QUOTE)
        return ""

    def required(self, *path: str, missing: str, hint: str) -> str:
        """A required string."""
        value = self.text(*path)
        if not value and not self.has_rejected(*path):
            if field := typo_of(path[-1], self.mapping(*path[:-1])):
                path, hint = (*path[:-1], field), f"write {path[-1]}, not {field}"
            self.reject(missing, *path, hint=hint)
        return value

    def name(self, field: str, *, missing: str, hint: str) -> str:
        """A required string that is usable as the name of a folder."""
        value = self.required(field, missing=missing, hint=hint)
        if value and not is_plain_name(value):
            self.reject(f"{field} is not a valid name: {value!r}", field)
        return value

    def mapping(self, *path: str) -> Mapping[str, Any]:
        """A mapping; empty if the field is missing."""
        holder = self.api_object.fields
        for depth, key in enumerate(path, start=1):
            value = holder.get(key)
            if value is None:
                return {}
            if not isinstance(value, Mapping):
                location = path[:depth]
                if location not in self._rejected:
                    self.reject(
                        f"{'.'.join(location)} must be a mapping, not {kind_of(value)}", *location
                    )
                return {}
            holder = value
        return holder

    def reject(self, message: str, *path: str, hint: str = "") -> None:
        """Record a problem with a field."""
        self._rejected.add(path)
        self.problems.append(CommodoreError(message, where=self.api_object.place(*path), hint=hint))

    def has_rejected(self, *path: str) -> bool:
        """Return whether a field, or one around it, has a recorded problem."""
        return any(path[:depth] in self._rejected for depth in range(1, len(path) + 1))


_QUOTE = "put it in quotes"


def is_plain_name(name: str) -> bool:
    """Return whether a name is a single path segment, and not a special one."""
    plain = name not in {"", ".", ".."} and not any(c in "/\\" for c in name)
    # An argument of a program must not be taken for an option.
    return plain and not name.startswith("-") and not problem_of_path(f"{name}.yml")
