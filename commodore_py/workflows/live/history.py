"""Objects of commits of a catalog."""

from __future__ import annotations

import stat
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.staging import leaves_of
from commodore_py.adapters.git.status import status
from commodore_py.catalog.diff.staged import contents_of, parse_raw
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.errors import CommodoreError
from commodore_py.live.marks import targets_of
from commodore_py.manifests.documents import may_hold_objects
from commodore_py.manifests.order import applications

from .notes import applied_commits
from .objects import objects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.live.marks import Target
    from commodore_py.manifests.objects import Content, KubeObject, ObjectId

    from .cluster import LiveCluster


def objects_at(
    catalog: Path, commits: Sequence[str], wants: Callable[[bytes], bool] = lambda _: True
) -> Iterator[KubeObject]:
    """The objects of commits, the newest first, in contents that are wanted; each content once."""
    leaves = [*leaves_of(catalog, commits[0]).leaves.items()]
    if commits[1:]:
        pairs = "".join(f"{commit} {parent}\n" for commit, parent in pairwise(commits))
        how = ("--stdin", "--no-commit-id", "-r", "--raw", "-z", "--no-abbrev", "--no-renames")
        changes = parse_raw(git_bytes(catalog, "diff-tree", *how, stdin=pairs.encode()))
        leaves += ((change.old_path, change.old) for change in changes if change.kind != "added")
    blobs: dict[str, dict[str, None]] = {}
    folder = f"{MANIFESTS}/"
    for path, leaf in leaves:
        is_content = stat.S_ISREG(leaf.mode) or stat.S_ISLNK(leaf.mode)  # no submodule
        if is_content and path.startswith(folder) and may_hold_objects(path):
            blobs.setdefault(leaf.id, {})[path] = None
    for blob, content in contents_of(catalog, set(blobs)).items():
        if not wants(content):
            continue
        paths = tuple(blobs[blob])
        try:
            objects = [*filter(None, objects_of(content, paths[0]))]
        except CommodoreError:
            continue  # what could not be read could not be applied
        for path in paths:
            yield from (replace(kube_object, file=path) for kube_object in objects)


def synced_commits(cluster: LiveCluster) -> tuple[dict[str, str], dict[str, str]]:
    """The commit that each application was synced or applied to last; or why it is not known."""
    names = {target.application for target in cluster.targets if target.application is not None}
    synced = {
        application.name: (application.finished, application.revision)
        for application in cluster.identity.applications
    }
    for name, applied in applied_commits(cluster.state).items():
        synced[name] = max(synced.get(name, ("", "")), applied)
    commits: dict[str, str] = {}
    left_out: dict[str, str] = {}
    has_commits = is_repository(cluster.catalog)
    for name in sorted(names):
        _, revision = synced.get(name, ("", ""))
        if not revision:
            left_out[name] = "the commit of the last sync is not known"
        elif not has_commits or commit_of(cluster.catalog, revision) is None:
            left_out[name] = f"commit {revision[:8]} is not in the catalog here"
        else:
            commits[name] = revision
    return commits, left_out


def last_synced(cluster: LiveCluster, targets: Iterable[Target]) -> dict[ObjectId, Content]:
    """Targets in the commits that their applications were synced to last."""
    commits, _ = synced_commits(cluster)
    contents: dict[ObjectId, Content] = {}
    for commit in {commits.get(target.application or "", "") for target in targets} - {""}:
        for target in targets_at(cluster, commit):
            if commits.get(target.application or "") == commit:
                contents[target.id] = target.object.content
    return contents


def targets_at(cluster: LiveCluster, commit: str) -> tuple[Target, ...]:
    """The targets of all applications in a commit."""
    if is_checked_out(cluster.catalog, commit):
        return cluster.all_targets
    assigned = applications.assigned(
        tuple(objects_at(cluster.catalog, [commit])), "", cluster.rendered
    )
    return targets_of(assigned, cluster.kinds, cluster.settings.tracking)


def is_checked_out(catalog: Path, commit: str) -> bool:
    """Return whether the catalog here is as in the commit."""
    checkout = status(catalog, untracked=True)
    return checkout.commit == commit and not checkout.changes
