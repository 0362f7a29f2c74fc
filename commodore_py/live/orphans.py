"""Objects of applications that left the catalog: to delete, kept, or not known (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from commodore_py.live.objects import Record
    from commodore_py.manifests.objects import ObjectId
    from commodore_py.manifests.settings import Tracking

Fate: TypeAlias = Literal["delete", "keep", "unknown"]

_HOLDS_OTHERS = {
    ("", "Namespace"): "everything in it would go, too",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "all objects of its kind would go, too",
}


@dataclass(frozen=True, slots=True)
class Orphan:
    """A live object that left the catalog."""

    id: ObjectId
    fate: Fate
    why: str
    mark: marks.Mark


@dataclass(frozen=True, slots=True)
class Known:
    """The catalog, and who applies it."""

    targets: Collection[ObjectId]
    inventory: Collection[ObjectId]
    """Ids that earlier commits of the catalog had."""
    applications: Collection[str]
    """Those that the catalog has or once had."""
    others: Collection[str]
    """Applications in the cluster that sync something else."""
    tracking: Tracking
    complete: bool
    """Whether the inventory goes back to the first commit."""
    marks_objects: bool
    """Whether the driver marks what it applies."""
    blocked: str = ""
    """Why nothing may be deleted; empty if nothing speaks against it."""


def orphans(records: Iterable[Record], witnesses: Known) -> Iterator[Orphan]:
    """The orphans among top-level objects."""
    for record in records:
        if record.id in witnesses.targets or record.is_ending:
            continue
        annotations = record.annotations
        mark = marks.mark_of(record.id, record.labels, annotations, witnesses.tracking)
        ours = mark.is_ours and mark.owner in witnesses.applications
        if ours and mark.owner in witnesses.others:
            continue  # another catalog has an application of that name
        listed = record.id in witnesses.inventory
        if (ours or listed) and not marks.is_hook(annotations):
            fate = _fate(record.id, annotations, witnesses, ours=ours, listed=listed)
            yield Orphan(record.id, *fate, mark)


def _fate(
    id_: ObjectId, annotations: Mapping[str, str], witnesses: Known, *, ours: bool, listed: bool
) -> tuple[Fate, str]:
    if why := marks.kept_because(annotations):
        return "keep", why
    if holds := _HOLDS_OTHERS.get((id_.group, id_.kind)):
        return "keep", holds
    if witnesses.blocked:
        return "unknown", witnesses.blocked
    if witnesses.marks_objects and not ours:
        return "unknown", "an earlier commit had it, but it has no mark of this catalog"
    if not listed:
        return "unknown", (
            "it has a mark of this catalog, but no earlier commit had it"
            if witnesses.complete
            else "it has a mark of this catalog, but the history is cut off"
        )
    return "delete", "an earlier commit had it, and it has the mark" if ours else (
        "an earlier commit had it"
    )
