"""Changes that many objects have in common, shown once (pure)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.difference import GRADES

from . import grades
from .diff import importance
from .paths import Item, generalised
from .values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.model.difference import Grade

    from .diff import ObjectChange
    from .fields import FieldChange, Happened
    from .objects import ObjectId

_Key: TypeAlias = tuple["Grade", str, "Happened", object, object, bool]

# The number of objects from which on a common change is shown once.
FEWEST = 3
# The paths of pod templates.
_PODS = (
    ("spec", "jobTemplate", "spec", "template", "spec"),
    ("spec", "template", "spec"),
)
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


@dataclass(frozen=True, slots=True)
class Fold:
    """A change that several objects have in common."""

    path: str
    field: FieldChange
    """The change in the first of the objects."""
    objects: tuple[ObjectId, ...]


def folded(
    changes: Iterable[ObjectChange],
) -> tuple[tuple[ObjectChange, ...], tuple[Fold, ...]]:
    """Separate the changes of single objects from those that several have in common."""
    keyed = [(change, _keys(change)) for change in changes]
    groups = _groups(keyed)
    common = {key: of for key, of in groups.items() if len(of) >= FEWEST}
    left = []
    for change, keys in keyed:
        shown = tuple(f for f, key in zip_longest(change.fields, keys) if key not in common)
        if len(shown) == len(change.fields):
            left.append(change)
        elif shown:
            grade = grades.worst([field.grade for field in shown])
            left.append(replace(change, fields=shown, grade=grade))
    folds = [_fold(key[1], of) for key, of in common.items()]
    folds.sort(key=lambda fold: (GRADES.index(fold.field.grade), fold.path, fold.objects))
    return tuple(sorted(left, key=importance)), tuple(folds)


def _keys(change: ObjectChange) -> list[_Key]:
    if change.what != "changed":
        return []
    return [_key(change, field) for field in change.fields]


def _groups(
    keyed: Iterable[tuple[ObjectChange, list[_Key]]],
) -> Mapping[_Key, dict[ObjectId, FieldChange]]:
    groups: dict[_Key, dict[ObjectId, FieldChange]] = defaultdict(dict)
    for change, keys in keyed:
        for key, field in zip(keys, change.fields, strict=False):
            groups[key].setdefault(change.id, field)
    return groups


def _fold(path: str, of: Mapping[ObjectId, FieldChange]) -> Fold:
    objects = tuple(sorted(of))
    return Fold(path, of[objects[0]], objects)


def _key(change: ObjectChange, field: FieldChange) -> _Key:
    # Values of secrets are masked: they are not mixed with others.
    secret = change.id.kind.casefold() == "secret"
    values = canonical(field.old), canonical(field.new)
    return field.grade, path_of_kind(field), field.happened, *values, secret


def path_of_kind(field: FieldChange) -> str:
    """The path without what differs between kinds and between items."""
    path = field.path
    for pods in _PODS:
        if path[: len(pods)] == pods:
            path = path[len(pods) :]
            if path[:1] and path[0] in _CONTAINERS:
                path = ("containers", *path[1:])
            break
    if path and isinstance(path[-1], Item):
        # The value identifies an item that was added or removed.
        return generalised(path[:-1]) + "[]"
    return generalised(path)
