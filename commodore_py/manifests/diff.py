"""The differences between two sets of objects, with their grades (pure)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from commodore_py.model.difference import GRADES

from . import grades
from .fields import FieldChange, field_changes
from .values import leaves, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.model.difference import Grade

    from .objects import KubeObject, ObjectId
    from .values import Canonical

# Objects of different names are one renamed object from this similarity on, if they have at least
# so many fields besides the common ones: two empty service accounts are not similar.
_SIMILAR = 0.8
_MIN_LEAVES = 3
_MAX_PAIRS = 2500
_BOILERPLATE = ("apiVersion", "kind", "metadata")

What = Literal["created", "deleted", "renamed", "changed"]


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One object that was created, deleted or changed; `old` and `new` as far as they exist."""

    what: What
    old: KubeObject | None
    new: KubeObject | None
    fields: tuple[FieldChange, ...] = ()
    grade: Grade = "none"
    reason: str = ""
    """The reason for the grade of the object as a whole; fields have their own."""

    @property
    def id(self) -> ObjectId:
        """The id of the object, the new one if it was renamed."""
        return self._object.id

    @property
    def file(self) -> str:
        """The file that contains it, or contained it."""
        return self._object.file

    @property
    def _object(self) -> KubeObject:
        return next(side for side in (self.new, self.old) if side is not None)


def object_changes(
    old: Iterable[KubeObject], new: Iterable[KubeObject]
) -> tuple[ObjectChange, ...]:
    """Every change from the old objects to the new ones, with grades; worst first.

    Of an object that is there twice, the last one counts.
    """
    olds = {kube_object.id: kube_object for kube_object in old}
    news = {kube_object.id: kube_object for kube_object in new}
    return tuple(sorted(_object_changes(olds, news), key=importance))


def importance(change: ObjectChange) -> tuple[int, int, ObjectId]:
    """Sort key: worst grades first, then deletions, then by id."""
    order = ("deleted", "renamed", "changed", "created")
    return GRADES.index(change.grade), order.index(change.what), change.id


def _object_changes(
    olds: Mapping[ObjectId, KubeObject], news: Mapping[ObjectId, KubeObject]
) -> Iterator[ObjectChange]:
    for id_ in sorted(olds.keys() & news.keys()):
        if changes := _graded(olds[id_], news[id_]):
            worst = grades.worst([change.grade for change in changes])
            yield ObjectChange("changed", olds[id_], news[id_], changes, worst)
    deleted = [olds[id_] for id_ in sorted(olds.keys() - news.keys())]
    created = [news[id_] for id_ in sorted(news.keys() - olds.keys())]
    renamed = dict(_renamed(deleted, created))
    for kube_object in deleted:
        verdict = grades.of_deletion(kube_object)
        if (after := renamed.get(kube_object.id)) is not None:
            # A renamed object has the grade of its deletion.
            fields = field_changes(dict(kube_object.content), dict(after.content))
            yield ObjectChange("renamed", kube_object, after, fields, *verdict)
        else:
            yield ObjectChange("deleted", kube_object, None, (), *verdict)
    present = {after.id for after in renamed.values()}
    for kube_object in created:
        if kube_object.id not in present:
            yield ObjectChange("created", None, kube_object)


def _graded(old: KubeObject, new: KubeObject) -> tuple[FieldChange, ...]:
    changes = []
    for change in field_changes(dict(old.content), dict(new.content)):
        grade, reason = grades.of_field(change, old, new)
        changes.append(replace(change, grade=grade, reason=reason) if reason else change)
    return tuple(changes)


def _renamed(
    deleted: list[KubeObject], created: list[KubeObject]
) -> Iterator[tuple[ObjectId, KubeObject]]:
    """Objects of another name with almost the same content, by the old id."""
    removed, came = _by_kind(deleted), _by_kind(created)
    for kind in removed.keys() & came.keys():
        if len(removed[kind]) * len(came[kind]) > _MAX_PAIRS:
            continue
        similar = [
            (before.id, after)
            for before, substance in _substantial(removed[kind])
            for after, others in _substantial(came[kind])
            if similarity(substance, others) >= _SIMILAR
        ]
        olds = Counter(before for before, _ in similar)
        news = Counter(after.id for _, after in similar)
        # Only unambiguous pairs.
        yield from ((o, n) for o, n in similar if olds[o] == news[n.id] == 1)


def _by_kind(
    objects: Iterable[KubeObject],
) -> Mapping[tuple[str, str, str], list[KubeObject]]:
    by_kind: dict[tuple[str, str, str], list[KubeObject]] = defaultdict(list)
    for kube_object in objects:
        id_ = kube_object.id
        by_kind[id_.group, id_.kind, id_.namespace].append(kube_object)
    return by_kind


def _substantial(
    objects: Iterable[KubeObject],
) -> list[tuple[KubeObject, Counter[tuple[str, Canonical]]]]:
    """Objects with their fields, but for those that have few."""
    counted = []
    for kube_object in objects:
        content = {k: value for k, value in kube_object.content.items() if k not in _BOILERPLATE}
        counts = leaves(content, name=kube_object.id.name)
        if counts.total() >= _MIN_LEAVES:
            counted.append((kube_object, counts))
    return counted
