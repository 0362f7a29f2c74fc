"""Fields of Kubernetes' own kinds: merge keys, quantities, zeros (pure).

`lib/kubernetes/types.json` is made from the API types of a Kubernetes release. A field is an entry
such as `[Container:name!z`: a list that is merged by a key, of items of a type, left out when zero.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import split_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content

_LIST, _MAP, _SCALAR = "[", "{", "$"
_ZERO = "z"


@dataclass(frozen=True, slots=True)
class Field:
    """The schema of one field."""

    type: str = ""
    """The type of the object, of the items of the list, or of the values of the mapping."""
    is_map: bool = False
    merge_key: str | None = None
    """The key that identifies items of a merged list; empty for sets of scalars."""
    scalar: str = ""
    """`q` for quantities, `i` for numbers or strings, `t` for times, `d` for durations."""
    omits_zero: bool = False


UNKNOWN = Field()


def root_type(content: Content) -> str | None:
    """The type of an object, or None if it is not one of Kubernetes' own kinds."""
    group, version, kind = split_version(content)
    head = f"{group}/{version}" if group else version
    name: str | None = _table()["kinds"].get(f"{head} {kind}")
    return name


def builtin_kinds() -> Mapping[tuple[str, str], str]:
    """Group and kind of everything that Kubernetes has, with the first of its versions."""
    kinds: dict[tuple[str, str], str] = {}
    for name in _table()["kinds"]:
        api_version, _, kind = name.partition(" ")
        kinds.setdefault((api_version.rpartition("/")[0], kind), api_version)
    return kinds


def field_of(type_name: str, name: str) -> Field:
    """Return the schema of a field of a type."""
    entry = _table()["types"].get(type_name, {}).get(name)
    return UNKNOWN if entry is None else _parsed(entry)


def item_of(field: Field) -> Field:
    """Return the schema of an item of a list, or of a value of a mapping."""
    return Field(field.type, scalar=field.scalar)


@lru_cache(maxsize=4096)
def _parsed(entry: str) -> Field:
    body, _, flags = entry.partition("!")
    is_map = body.startswith(_MAP)
    body = body[1:] if body.startswith((_LIST, _MAP)) else body
    name, colon, key = body.partition(":")
    is_scalar = name.startswith(_SCALAR)
    return Field(
        type="" if is_scalar else name,
        is_map=is_map,
        merge_key=key if colon else None,
        scalar=name[1:] if is_scalar else "",
        omits_zero=_ZERO in flags,
    )


@cache
def _table() -> Mapping[str, Any]:
    path = files("commodore_py.lib").joinpath("kubernetes", "types.json")
    table: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    return table
