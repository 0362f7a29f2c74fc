"""Objects of a cluster that left the catalog: to delete, kept, or not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.live import marks
from commodore_py.live.marks import targets_of
from commodore_py.manifests.documents import names_in
from commodore_py.manifests.order.applications import KIND, assigned

from .history import objects_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from commodore_py.live.objects import Record
    from commodore_py.manifests.objects import ObjectId
    from commodore_py.manifests.order.applications import Assigned
    from commodore_py.manifests.settings import Tracking

    from .cluster import LiveCluster

Fate: TypeAlias = Literal["delete", "keep", "unknown"]

_MOST_COMMITS = 200
_APPLICATION = KIND[1].encode()
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
class OrphanReport:
    """All orphans."""

    orphans: tuple[Orphan, ...]
    complete: bool
    """Whether all of the history was looked at."""


def orphans_of(cluster: LiveCluster) -> OrphanReport:
    """Top-level objects of the cluster that left the catalog."""
    targets, objects = {target.id for target in cluster.all_targets}, cluster.seen.objects
    records = [
        record for record in objects.top_level() if targets.isdisjoint(objects.copies(record))
    ]
    earlier, complete = _earlier(cluster, {record.id.name.encode() for record in records})
    tracking = cluster.settings.tracking
    before = targets_of(earlier, cluster.kinds, tracking)
    applied = (*cluster.assigned.applications, *earlier.applications)
    left = orphans(
        records,
        inventory={target.id for target in before if target.application is not None},
        applications={application.name for application, _ in applied},
        others=cluster.identity.others,
        tracking=tracking,
        complete=complete,
        blocked="" if cluster.identity.confirmed_by else "the cluster is not confirmed",
    )
    name = cluster.reach.application
    reported = [
        orphan for orphan in left if not (name and orphan.mark.is_ours) or orphan.mark.owner == name
    ]
    return OrphanReport(tuple(sorted(reported, key=lambda orphan: orphan.id)), complete)


def orphans(
    records: Iterable[Record],
    *,
    inventory: Collection[ObjectId],
    applications: Collection[str],
    others: Collection[str],
    tracking: Tracking,
    complete: bool,
    blocked: str = "",
) -> Iterator[Orphan]:
    """The orphans among top-level objects that are no targets (pure).

    `inventory` has the ids that earlier commits of the catalog had, back to the first commit if it
    is `complete`; `applications` are those that the catalog has or once had, `others` those in the
    cluster that sync something else. `blocked` is why nothing may be deleted.
    """
    for record in records:
        mark = marks.mark_of(record.id, record.labels, record.annotations, tracking)
        ours = mark.is_ours and mark.owner in applications
        if record.is_ending or (ours and mark.owner in others):
            continue  # another catalog may have an application of that name
        listed = record.id in inventory
        if not (ours or listed) or marks.is_hook(record.annotations):
            continue
        fate: Fate = "unknown"
        why = marks.kept_because(record.annotations)
        if why := why or _HOLDS_OTHERS.get((record.id.group, record.id.kind), ""):
            fate = "keep"
        elif blocked:
            why = blocked
        elif not ours and set(applications) != {""}:  # then the driver marks what it applies
            why = "an earlier commit had it, but it has no mark of this catalog"
        elif not listed:
            cut = "no earlier commit had it" if complete else "the history is cut off"
            why = f"it has a mark of this catalog, but {cut}"
        else:
            fate = "delete"
            why = "an earlier commit had it" + (", and it has the mark" if ours else "")
        yield Orphan(record.id, fate, why, mark)


def _earlier(cluster: LiveCluster, names: set[bytes]) -> tuple[Assigned, bool]:
    """Objects with these names in the last commits, and whether these are all commits."""
    catalog = cluster.catalog
    if not is_repository(catalog) or commit_of(catalog, "HEAD") is None:
        return assigned((), "", cluster.rendered), False
    commits = git(
        catalog, "rev-list", "--first-parent", f"--max-count={_MOST_COMMITS + 1}", "HEAD"
    ).splitlines()
    is_shallow = git(catalog, "rev-parse", "--is-shallow-repository") == "true"
    objects = objects_at(
        catalog,
        commits[:_MOST_COMMITS],
        lambda text: _APPLICATION in text or not names.isdisjoint(names_in(text)),
    )
    complete = len(commits) <= _MOST_COMMITS and not is_shallow
    return assigned(tuple(objects), "", cluster.rendered), complete
