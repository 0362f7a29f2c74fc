"""Live objects that left the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.live.orphans import Known, Orphan, orphans
from commodore_py.live.pairing import targets_of
from commodore_py.manifests.documents import names_in
from commodore_py.manifests.order.applications import KIND, assigned

from .history import objects_at

if TYPE_CHECKING:
    from commodore_py.manifests.order.applications import Assigned

    from .cluster import LiveCluster

_MOST_COMMITS = 200
_APPLICATION = KIND[1].encode()


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
    names = {application.name for application, _ in applied}
    witnesses = Known(
        targets=targets,
        inventory={target.id for target in before if target.application is not None},
        applications=names,
        others=cluster.identity.others,
        tracking=tracking,
        complete=complete,
        marks_objects=names != {""},
        blocked="" if cluster.identity.confirmed_by else "the cluster is not confirmed",
    )
    orphans_ = sorted(
        (
            orphan
            for orphan in orphans(records, witnesses)
            if (
                not cluster.reach.application
                or not orphan.mark.is_ours
                or orphan.mark.owner == cluster.reach.application
            )
        ),
        key=lambda orphan: orphan.id,
    )
    return OrphanReport(tuple(orphans_), complete)


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
