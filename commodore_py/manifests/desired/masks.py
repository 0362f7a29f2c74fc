"""Replace the values of a Secret: equal ones stay equal, and nothing else is seen (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.secret_parts import LAST_APPLIED

from .normalise import secret

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_Object: TypeAlias = dict[str, Any]

FIRST, MORE = "+" * 8, "+" * 4
_DATA, _ANNOTATIONS = ("data",), ("metadata", "annotations")


def hidden_values(
    objects: Iterable[_Object | None], annotations: Collection[str] = ()
) -> tuple[_Object | None, ...]:
    """Versions of one Secret: each distinct value of a key is another run of `+`."""
    versions = [None if one is None else _without_oddities(secret(one)) for one in objects]
    records = [_record(one) for one in versions]
    known = [one for one in (*versions, *(record for record, _ in records)) if one is not None]
    keys = {key for one in known for key in _fields(one, _DATA)}
    for path, names in ((_DATA, keys), (_ANNOTATIONS, set(annotations))):
        known = _masked(known, path, names)
    rest = iter(known)
    masked = [None if one is None else next(rest) for one in versions]
    copies = [next(rest) if record is not None else None for record, _ in records]
    return tuple(
        None if one is None else _with_record(one, copy, annotations, unreadable=unreadable)
        for one, copy, (_, unreadable) in zip(masked, copies, records, strict=True)
    )


def _without_oddities(one: _Object) -> _Object:
    """What is not a mapping, and yet stands where values do, is hidden as a whole."""
    odd = [key for key in ("data", "stringData") if not isinstance(one.get(key), dict | None)]
    return {**one, **dict.fromkeys(odd, FIRST)} if odd else one


def _masked(known: list[_Object], path: tuple[str, ...], names: set[str]) -> list[_Object]:
    runs: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    found = []
    for one in known:
        fields = _fields(one, path)
        shown = dict(fields)
        for name in names & fields.keys():
            value = "" if fields[name] is None else repr(fields[name])
            if (name, value) not in runs:
                runs[name, value] = FIRST + MORE * counts.get(name, 0)
                counts[name] = counts.get(name, 0) + 1
            shown[name] = runs[name, value]
        found.append(_replaced(one, path, shown) if fields else one)
    return found


def _fields(one: _Object, path: tuple[str, ...]) -> _Object:
    value: Any = one
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _replaced(one: _Object, path: tuple[str, ...], fields: _Object) -> _Object:
    name, *rest = path
    if not rest:
        return {**one, name: fields}
    return {**one, name: _replaced(one[name], tuple(rest), fields)}


def _record(one: _Object | None) -> tuple[_Object | None, bool]:
    """What was applied last, and whether it cannot be read."""
    text = _fields(one or {}, _ANNOTATIONS).get(LAST_APPLIED)
    if not isinstance(text, str):
        return None, False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None, True
    return (secret(found), False) if isinstance(found, dict) else (None, True)


def _with_record(
    one: _Object, copy: _Object | None, annotations: Collection[str], *, unreadable: bool
) -> _Object:
    if copy is None and not unreadable:
        return one
    text = FIRST if unreadable or LAST_APPLIED in annotations else json.dumps(copy)
    fields = {**_fields(one, _ANNOTATIONS), LAST_APPLIED: text}
    return _replaced(one, _ANNOTATIONS, fields)


def is_secret(group: str, kind: str) -> bool:
    """Whether an object has values that are not shown."""
    return (group, kind) == ("", "Secret")
