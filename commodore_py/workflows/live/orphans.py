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
    from commodore_py.manifests.objects import ObjectId

    from .cluster import LiveCluster

_MOST_COMMITS = 200
_APPLICATION = KIND[1].encode()


@dataclass(frozen=True, slots=True)
class History:
    """Objects in the commits of a catalog."""

    ids: frozenset[ObjectId]
    applications: frozenset[str]
    complete: bool
    """Whether it goes back to the first commit."""


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
    history = _history(cluster, {record.id.name.encode() for record in records})
    names = {application.name for application, _ in cluster.assigned.applications}
    names |= history.applications
    witnesses = Known(
        targets=targets,
        inventory=history.ids,
        applications=names,
        others=cluster.identity.others,
        tracking=cluster.settings.tracking,
        complete=history.complete,
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
    return OrphanReport(tuple(orphans_), history.complete)


def _history(cluster: LiveCluster, names: set[bytes]) -> History:
    """The ids of objects with these names in the last commits, by their applications then."""
    catalog = cluster.catalog
    if not is_repository(catalog) or commit_of(catalog, "HEAD") is None:
        return History(frozenset(), frozenset(), complete=False)
    commits = git(
        catalog, "rev-list", "--first-parent", f"--max-count={_MOST_COMMITS + 1}", "HEAD"
    ).splitlines()
    complete = (
        len(commits) <= _MOST_COMMITS
        and git(catalog, "rev-parse", "--is-shallow-repository") != "true"
    )
    objects = tuple(
        objects_at(
            catalog,
            commits[:_MOST_COMMITS],
            lambda text: _APPLICATION in text or not names.isdisjoint(names_in(text)),
        )
    )
    assigned_ = assigned(objects, "", cluster.rendered)
    targets = targets_of(assigned_, cluster.kinds, cluster.settings.tracking)
    ids = frozenset(target.id for target in targets if target.application is not None)
    return History(
        ids, frozenset(application.name for application, _ in assigned_.applications), complete
    )
