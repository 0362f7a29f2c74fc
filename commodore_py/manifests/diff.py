"""The differences between two sets of objects, with their grades (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from commodore_py.model.difference import GRADES

from . import grades
from .fields import FieldChange, field_changes
from .pairing import Pairs, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.difference import Grade

    from .objects import KubeObject, ObjectId

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
    """Every change from the old objects to the new ones, with grades; worst first."""
    return tuple(sorted(_object_changes(pair(old, new)), key=importance))


def importance(change: ObjectChange) -> tuple[int, int, ObjectId]:
    """Sort key: worst grades first, then deletions, then by id."""
    order = ("deleted", "renamed", "changed", "created")
    return GRADES.index(change.grade), order.index(change.what), change.id


def _object_changes(pairs: Pairs) -> Iterator[ObjectChange]:
    for before, after in pairs.same:
        if changes := _graded(before, after):
            worst = grades.worst([change.grade for change in changes])
            yield ObjectChange("changed", before, after, changes, worst)
    for before, after in pairs.renamed:
        verdict = grades.of_deletion(before)
        yield ObjectChange("renamed", before, after, _graded(before, after), *verdict)
    for kube_object in pairs.deleted:
        yield ObjectChange("deleted", kube_object, None, (), *grades.of_deletion(kube_object))
    for kube_object in pairs.created:
        yield ObjectChange("created", None, kube_object)


def _graded(old: KubeObject, new: KubeObject) -> tuple[FieldChange, ...]:
    before, after = dict(old.content), dict(new.content)
    if old.id != new.id:
        # A renamed object has the grade of its deletion.
        return field_changes(before, after)
    changes = []
    for change in field_changes(before, after):
        grade, reason = grades.of_field(change, old, new)
        changes.append(replace(change, grade=grade, reason=reason) if reason else change)
    return tuple(changes)
