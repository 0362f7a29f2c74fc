"""Objects of commits of a catalog."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.yaml.manifests import load_manifests
from commodore_py.catalog.diff.staged import contents_of
from commodore_py.errors import CommodoreError
from commodore_py.live.pairing import targets_of
from commodore_py.manifests.documents import may_hold_objects
from commodore_py.manifests.objects import KubeObject, identify, members
from commodore_py.manifests.order import applications

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from commodore_py.live.pairing import Target
    from commodore_py.manifests.objects import Content, ObjectId

    from .cluster import LiveCluster


def objects_at(
    catalog: Path, commits: Iterable[str], only: Collection[str] | None = None
) -> Iterator[KubeObject]:
    """The objects of some commits, or of some files in them; each content is read once."""
    blobs: dict[str, dict[str, None]] = {}
    for commit in commits:
        listing = git_bytes(catalog, "ls-tree", "-r", "-z", commit, "--", "manifests")
        for line in os.fsdecode(listing).split("\0"):
            about, _, path = line.partition("\t")
            if only is not None and path not in only:
                continue
            if path and about.split(" ")[1] == "blob" and may_hold_objects(path):
                blobs.setdefault(about.split(" ")[2], {})[path] = None
    for blob, content in contents_of(catalog, set(blobs)).items():
        paths = tuple(blobs[blob])
        try:
            documents = load_manifests(content, name=paths[0])
        except CommodoreError:
            continue  # what could not be read could not be applied
        for document in documents:
            for one in members(document):
                id_ = identify(one)
                if id_ is not None and isinstance(one, dict):
                    yield from (KubeObject(id_, one, path) for path in paths)


def synced_commits(cluster: LiveCluster) -> tuple[dict[str, str], dict[str, str]]:
    """The commit that each application was synced to last; or why it is not known."""
    names = {one.application for one in cluster.targets if one.application is not None}
    synced = {one.name: one.revision for one in cluster.identity.applications}
    commits: dict[str, str] = {}
    left_out: dict[str, str] = {}
    has_commits = is_repository(cluster.catalog)
    for name in sorted(names):
        revision = synced.get(name, "")
        if not revision:
            left_out[name] = "the commit of the last sync is not known"
        elif not has_commits or commit_of(cluster.catalog, revision) is None:
            left_out[name] = f"commit {revision[:8]} is not in the catalog here"
        else:
            commits[name] = revision
    return commits, left_out


def last_synced(cluster: LiveCluster, targets: Iterable[Target]) -> dict[ObjectId, Content]:
    """What targets were in the commits that their applications were synced to last."""
    commits, _ = synced_commits(cluster)
    by_commit: dict[str, list[Target]] = {}
    for target in targets:
        if target.application in commits:
            by_commit.setdefault(commits[target.application], []).append(target)
    found: dict[ObjectId, Content] = {}
    for commit, wanted in by_commit.items():
        names = git_bytes(
            cluster.catalog, "diff", "--name-only", "--no-renames", "-z", commit, "--", "manifests"
        )
        changed = {name for name in os.fsdecode(names).split("\0") if name}
        # What is in a file that is as it was, was as it is: most need not be read.
        same = [one for one in _with_paths(cluster) if one.file not in changed]
        unchanged = {id(one.content) for one in same}
        found |= {
            one.id: one.object.content for one in wanted if id(one.object.content) in unchanged
        }
        before = tuple(objects_at(cluster.catalog, [commit], only=changed)) if changed else ()
        if before:
            assigned = applications.assigned((*same, *before), "")
            found |= {
                one.id: one.object.content
                for one in targets_of(assigned, cluster.kinds)
                if one.object.file in changed and commits.get(one.application or "") == commit
            }
    return found


def _with_paths(cluster: LiveCluster) -> Iterator[KubeObject]:
    """The objects of the catalog, with files named as commits do."""
    for one in cluster.all_targets:
        path = os.path.relpath(one.object.file, cluster.catalog)
        yield replace(one.object, file=path)
