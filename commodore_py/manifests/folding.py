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
    from collections.abc import Collection, Iterable, Mapping

    from commodore_py.model.difference import Grade

    from .diff import ObjectChange, What
    from .fields import FieldChange, Happened
    from .objects import ObjectId

_Key: TypeAlias = tuple["Grade", str, "Happened", object, object, bool]
# What happened to a whole object: a renamed one has an old id, and its fields may change as well.
_ObjectKey: TypeAlias = tuple[
    "What", "Grade", str, "ObjectId", "ObjectId | None", "tuple[_Key, ...]"
]

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


@dataclass(frozen=True, slots=True)
class Common:
    """A change that objects of several clusters have in common."""

    grade: Grade
    what: What
    reason: str
    objects: tuple[tuple[str, ObjectId], ...]
    """Each with its cluster."""
    path: str = ""
    field: FieldChange | None = None
    """The change in the first of the objects; none where whole objects come and go."""

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters, in their order."""
        return tuple(sorted({cluster for cluster, _ in self.objects}))


def folded_over_clusters(
    changes: Mapping[str, Iterable[ObjectChange]],
) -> tuple[tuple[Common, ...], dict[str, tuple[ObjectChange, ...]]]:
    """Separate the changes that several clusters have in common from those of single clusters."""
    of_fields: dict[_Key, dict[tuple[str, ObjectId], FieldChange]] = defaultdict(dict)
    of_objects: dict[_ObjectKey, set[str]] = defaultdict(set)
    for cluster, of_cluster in changes.items():
        for change in of_cluster:
            for key, field in zip(_keys(change), change.fields, strict=False):
                of_fields[key].setdefault((cluster, change.id), field)
            if change.what != "changed":
                of_objects[_object_key(change)].add(cluster)
    common_fields = {
        key: objects
        for key, objects in of_fields.items()
        if len({cluster for cluster, _ in objects}) > 1
    }
    common_objects = {key: clusters for key, clusters in of_objects.items() if len(clusters) > 1}
    found = [
        Common(key[0], "changed", "", tuple(sorted(objects)), key[1], objects[min(objects)])
        for key, objects in common_fields.items()
    ]
    together: dict[tuple[What, Grade, str, frozenset[str]], list[ObjectId]] = defaultdict(list)
    for (what, grade, reason, id_, *_), clusters in common_objects.items():
        together[what, grade, reason, frozenset(clusters)].append(id_)
    for (what, grade, reason, of), ids in together.items():
        pairs = tuple((cluster, id_) for cluster in sorted(of) for id_ in sorted(ids))
        found.append(Common(grade, what, reason, pairs))
    found.sort(key=lambda one: (GRADES.index(one.grade), one.path, one.what, one.objects))
    left = {
        cluster: tuple(
            kept
            for change in of_cluster
            if (kept := _without(change, common_fields, common_objects)) is not None
        )
        for cluster, of_cluster in changes.items()
    }
    return tuple(found), left


def _without(
    change: ObjectChange,
    common_fields: Collection[_Key],
    common_objects: Collection[_ObjectKey],
) -> ObjectChange | None:
    """A change without what other clusters have as well; None if nothing is left."""
    if change.what != "changed":
        return None if _object_key(change) in common_objects else change
    pairs = zip(change.fields, _keys(change), strict=True)
    fields = tuple(field for field, key in pairs if key not in common_fields)
    if not fields:
        return None
    return replace(change, fields=fields, grade=grades.worst([field.grade for field in fields]))


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


def _object_key(change: ObjectChange) -> _ObjectKey:
    old = change.old.id if change.old is not None else None
    fields = tuple(_key(change, field) for field in change.fields)
    return change.what, change.grade, change.reason, change.id, old, fields


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
