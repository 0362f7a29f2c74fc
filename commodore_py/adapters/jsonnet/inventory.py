"""The inventory as Jsonnet files that exist for the importer only.

There is one for each parameter, and for each key of a parameter that is a mapping.
`lib/kapitan.libjsonnet` and `lib/commodore.libjsonnet` import them. Jsonnet imports lazily, so
only the keys that code looks at are ever converted, and results depend on these only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote, unquote

from .values import to_jsonnet

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIX = ".jsonnet"
_DEPTH = 3  # target, parameters, parameter


class TargetViews(Protocol):
    """The targets of the inventory, as code sees them."""

    def of(self, target: str) -> Mapping[str, Any]:
        """One target, by its name."""

    def names(self) -> tuple[str, ...]:
        """Every target."""


class InventoryImports:
    """Content of the files, made when they are imported."""

    def __init__(self, views: TargetViews, folder: Path) -> None:
        self.views = views
        self.folder = folder
        """Where code imports them from; there are no such files."""

    def part_at(self, path: str) -> str | None:
        """The part of the inventory that such a file holds; None if it is none of these files."""
        above = f"{self.folder}/"
        return path.removeprefix(above).removesuffix(_SUFFIX) if path.startswith(above) else None

    def read(self, path: str, target: str) -> bytes | None:
        """A file as one target gets to see it, None if it is none of these files."""
        name = self.part_at(path)
        part = part_of(self.views, target, name) if name else None
        return _code(part, name.rpartition("/")[2]).encode() if name and part else None


class Part(NamedTuple):
    """A part of the inventory."""

    path: tuple[str, ...]
    value: Any
    names_only: bool
    """Whether code sees its names: what is behind each of them is a part of its own."""


def part_of(views: TargetViews, target: str, name: str) -> Part | None:
    """All targets, one of them, one of its sections, or one of its parameters; None if missing.

    The name is written as in `lib/kapitan.libjsonnet`: quoted names between slashes; `self` is the
    target that is compiled.
    """
    match [unquote(step) for step in name.split("/")]:
        case ["targets"]:
            return Part((name,), dict.fromkeys(views.names()), names_only=True)
        case ["self", *below]:
            path = [target]
        case ["targets", other, *below] if other in views.names():
            path = [other]
        case _:
            return None
    value: Any = views.of(path[0])
    for step in below:
        if not _is_split(path, value) or step not in value:
            return None
        path.append(step)
        value = value[step]
    return Part(tuple(path), value, names_only=_is_split(path, value))


def _is_split(path: list[str], value: object) -> bool:
    """Return whether each key is a file of its own."""
    is_within = len(path) <= _DEPTH and path[1:2] in ([], ["parameters"])
    # A name of dots alone leads to another folder.
    return is_within and isinstance(value, Mapping) and bool(path[-1].strip("."))


def _code(part: Part, folder: str) -> str:
    if not part.names_only:
        # As data in the code, which is read several times faster than as code.
        text = json.dumps(to_jsonnet(part.value, part.path)).replace("'", "''")
        return f"std.parseJson(@'{text}')"
    to_jsonnet(dict.fromkeys(part.value), part.path)  # a name that Jsonnet cannot hold is an error
    # Quoted, any name is a single part of a path, and safe between quotation marks.
    fields = (
        f'{json.dumps(name)}:import "{folder}/{quote(name, safe="")}{_SUFFIX}"'
        for name in part.value
    )
    return f"{{{','.join(fields)}}}"
