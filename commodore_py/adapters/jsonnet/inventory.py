"""The inventory as Jsonnet files that exist for the importer only.

There is one for each parameter, and for each key of a parameter that is a mapping.
`lib/kapitan.libjsonnet` and `lib/commodore.libjsonnet` import them. Jsonnet imports lazily, so
only the keys that code looks at are ever converted, and results depend on these only.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote, unquote

from .evaluate import Inexpressible, as_code

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIX = ".jsonnet"
_LAZY = "parameters"


class TargetViews(Protocol):
    """The targets of the inventory, as code sees them."""

    def of(self, target: str) -> Mapping[str, Any]:
        """One target, by its name."""

    def names(self) -> tuple[str, ...]:
        """Every target."""


class InventoryImports:
    """Content of the files, made when they are imported, cached while a target is compiled."""

    def __init__(self, views: TargetViews, folder: Path) -> None:
        self.views = views
        self.folder = folder
        """Where code imports them from; there are no such files."""
        self._target = ""
        self._made: dict[str, bytes] = {}

    def part_at(self, path: Path | str) -> str | None:
        """The part of the inventory that such a file holds; None if it is none of these files."""
        name, above = str(path), f"{self.folder}/"
        return name.removeprefix(above).removesuffix(_SUFFIX) if name.startswith(above) else None

    def read(self, path: Path | str, target: str) -> bytes | None:
        """A file as one target gets to see it, None if it is none of these files."""
        name = self.part_at(path)
        if name is None:
            return None
        if target != self._target:
            # What one target looked at is mostly of no use to the next.
            self._made.clear()
            self._target = target
        if name not in self._made:
            text = self._text([unquote(part) for part in name.split("/")], target)
            if text is None:
                return None
            self._made[name] = text.encode()
        return self._made[name]

    def _text(self, parts: list[str], target: str) -> str | None:
        match parts:
            case ["all"]:
                return _object({name: _import("targets", name) for name in self.views.names()})
            case ["self", *below]:
                return self._part(target, below, "self")
            case ["targets", name, *below] if name in self.views.names():
                return self._part(name, below, name)
        return None

    def _part(self, target: str, below: list[str], folder: str) -> str | None:
        """A whole target, one of its sections, or one of its parameters."""
        view = self.views.of(target)
        part = part_of(view, below)
        if part is None:
            return None
        if not below:
            return _sections(view, folder, target)
        if not part.names_only:
            return _literal(part.value, (target, *below))
        names = _names(part.value, (target, *below))
        return _object({name: _import(below[-1], name) for name in names})


class Part(NamedTuple):
    """A part of a target."""

    value: Any
    names_only: bool = False
    """Whether code sees its names: what is behind each of them is a part of its own."""


def part_of(view: Mapping[str, Any], below: list[str]) -> Part | None:
    """A whole target, one of its sections, or one of its parameters; None if it is missing."""
    match below:
        case []:
            return Part(view, names_only=True)
        case [section] if section in view:
            return Part(view[section])
        case [section, key] if section == _LAZY and key in view[section]:
            value = view[section][key]
            return Part(value, names_only=_is_split(key, value))
        case [section, key, name] if section == _LAZY and key in view[section]:
            value = view[section][key]
            if _is_split(key, value) and name in value:
                return Part(value[name])
    return None


def _is_split(key: str, value: object) -> bool:
    """Return whether each key of a parameter is a file of its own."""
    # A name of dots alone leads to another folder.
    return isinstance(value, Mapping) and bool(key.strip("."))


def _sections(view: Mapping[str, Any], folder: str, target: str) -> str:
    keys = {key: _import(folder, _LAZY, key) for key in _names(view[_LAZY], (target, _LAZY))}
    others = {name: _import(folder, name) for name in view if name != _LAZY}
    return _object({**others, _LAZY: _object(keys)})


def _names(parameters: Mapping[str, Any], path: tuple[object, ...]) -> Mapping[str, Any]:
    _literal(dict.fromkeys(parameters), path)
    return parameters


def _object(fields: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in fields.items()) + "}"


def _import(*parts: str) -> str:
    # Quoted, any key is a single part of a path, and safe between quotation marks.
    return f'import "{"/".join(map(_quoted, parts))}{_SUFFIX}"'


@functools.lru_cache(maxsize=4096)  # the same keys for every target
def _quoted(part: str) -> str:
    return quote(part, safe="")


def _literal(value: object, path: tuple[object, ...]) -> str:
    try:
        return as_code(value)
    except Inexpressible as error:
        error.path = (*path, *error.path)
        raise
