"""Changes that many objects have in common, shown once (pure)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.difference import GRADES

from . import grades
from .diff import importance
from .paths import Item, generalised
from .values import canonical

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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
    changes = tuple(changes)
    groups = _by_field({"": changes})
    common = {key: of for key, of in groups.items() if len(of) >= FEWEST}
    folds = [
        Fold(key[1], of[min(of)], tuple(id_ for _, id_ in sorted(of))) for key, of in common.items()
    ]
    folds.sort(key=lambda fold: (GRADES.index(fold.field.grade), fold.path, fold.objects))
    return tuple(sorted(_others(changes, common), key=importance)), tuple(folds)


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
    changes: Mapping[str, Sequence[ObjectChange]],
) -> tuple[tuple[Common, ...], dict[str, tuple[ObjectChange, ...]]]:
    """Separate the changes that several clusters have in common from those of single clusters."""
    fields = {
        key: of for key, of in _by_field(changes).items() if len({cluster for cluster, _ in of}) > 1
    }
    common = [
        Common(key[0], "changed", "", tuple(sorted(of)), key[1], of[min(of)])
        for key, of in fields.items()
    ]
    clusters_of: dict[_ObjectKey, list[str]] = defaultdict(list)
    for cluster, of_cluster in changes.items():
        for key in {_object_key(change) for change in of_cluster if change.what != "changed"}:
            clusters_of[key].append(cluster)
    objects = {key: clusters for key, clusters in clusters_of.items() if len(clusters) > 1}
    together: dict[tuple[What, Grade, str, tuple[str, ...]], list[ObjectId]] = defaultdict(list)
    for (what, grade, reason, id_, *_), clusters in objects.items():
        together[what, grade, reason, tuple(sorted(clusters))].append(id_)
    for (what, grade, reason, of), ids in together.items():
        pairs = tuple((cluster, id_) for cluster in of for id_ in sorted(ids))
        common.append(Common(grade, what, reason, pairs))
    common.sort(
        key=lambda change: (GRADES.index(change.grade), change.path, change.what, change.objects)
    )
    return tuple(common), {
        cluster: tuple(_others(of_cluster, fields, objects))
        for cluster, of_cluster in changes.items()
    }


def _by_field(
    changes: Mapping[str, Iterable[ObjectChange]],
) -> dict[_Key, dict[tuple[str, ObjectId], FieldChange]]:
    """The objects of clusters that each change of a field happens to."""
    groups: dict[_Key, dict[tuple[str, ObjectId], FieldChange]] = defaultdict(dict)
    for cluster, of_cluster in changes.items():
        for change in of_cluster:
            for field in change.fields if change.what == "changed" else ():
                groups[_key(change, field)].setdefault((cluster, change.id), field)
    return groups


def _others(
    changes: Iterable[ObjectChange],
    common_fields: Collection[_Key],
    common_objects: Collection[_ObjectKey] = (),
) -> Iterator[ObjectChange]:
    """The changes without what others have as well."""
    for change in changes:
        if change.what != "changed":
            if not common_objects or _object_key(change) not in common_objects:
                yield change
            continue
        fields = tuple(field for field in change.fields if _key(change, field) not in common_fields)
        if len(fields) == len(change.fields):
            yield change
        elif fields:
            grade = grades.worst([field.grade for field in fields])
            yield replace(change, fields=fields, grade=grade)


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
