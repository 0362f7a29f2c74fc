"""What differs between two sets of objects, and how bad that is (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from . import grades
from .fields import FieldChange, field_changes
from .pairing import Pairs, nowhere, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .grades import Grade
    from .objects import KubeObject, ObjectId
    from .pairing import Elsewhere

What = Literal["created", "deleted", "renamed", "changed", "copy added", "copy removed"]


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One object that came, went, or is another; `old` and `new` as far as there are such."""

    what: What
    old: KubeObject | None
    new: KubeObject | None
    fields: tuple[FieldChange, ...] = ()
    grade: Grade = "none"
    reason: str = ""
    """Why the object as a whole has its grade; fields have their own reasons."""

    @property
    def id(self) -> ObjectId:
        """The object's name, the new one if it has two."""
        return self._object.id

    @property
    def file(self) -> str:
        """Where it stands, or stood."""
        return self._object.file

    @property
    def _object(self) -> KubeObject:
        return next(one for one in (self.new, self.old) if one is not None)


def object_changes(
    old: Iterable[KubeObject], new: Iterable[KubeObject], elsewhere: Elsewhere = nowhere
) -> tuple[ObjectChange, ...]:
    """Every change from the old objects to the new ones, graded; the worst come first."""
    return tuple(sorted(_object_changes(pair(old, new, elsewhere)), key=importance))


def importance(change: ObjectChange) -> tuple[int, int, ObjectId]:
    """What to read first: bad changes, then what is gone, then by name."""
    order = ("deleted", "renamed", "changed", "copy removed", "created", "copy added")
    return grades.GRADES.index(change.grade), order.index(change.what), change.id


def _object_changes(pairs: Pairs) -> Iterator[ObjectChange]:
    for before, after in pairs.kept:
        if found := _graded(before, after):
            worst = grades.worst([change.grade for change in found])
            yield ObjectChange("changed", before, after, found, worst)
    for before, after in pairs.renamed:
        verdict = grades.of_deletion(before)
        yield ObjectChange("renamed", before, after, _graded(before, after), *verdict)
    for one in pairs.deleted:
        yield ObjectChange("deleted", one, None, (), *grades.of_deletion(one))
    for one in pairs.created:
        yield ObjectChange("created", None, one)
    for one in pairs.copies_removed:
        yield ObjectChange("copy removed", one, None, (), "none", "another copy stays")
    for one in pairs.copies_added:
        yield ObjectChange("copy added", None, one, (), "none", "there is another copy")


def _graded(old: KubeObject, new: KubeObject) -> tuple[FieldChange, ...]:
    before, after = dict(old.content), dict(new.content)
    if old.id != new.id:
        # Its deletion says all: nothing is changed in place.
        return field_changes(before, after)
    found = []
    for change in field_changes(before, after):
        grade, reason = grades.of_field(change, old, new)
        found.append(replace(change, grade=grade, reason=reason) if reason else change)
    return tuple(found)
