"""What applying the catalog would change in its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.manifests.objects import KubeObject
from commodore_py.manifests.order.hooks import hook_facts

from .diff import LiveDiff, Paired, difference

if TYPE_CHECKING:
    from commodore_py.live.pairing import Target

    from .cluster import LiveCluster


class ClusterDiff(NamedTuple):
    """What differs, and what could not be compared."""

    found: LiveDiff
    unseen: tuple[tuple[Target, str], ...]


def cluster_diff(cluster: LiveCluster, *, two_way: bool = False) -> ClusterDiff:
    """Compare every target with its live object; hooks are applied by syncs only."""
    pairs: list[tuple[KubeObject, KubeObject]] = []
    created: list[KubeObject] = []
    unseen: list[tuple[Target, str]] = []
    for target in cluster.targets:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue
        if why := cluster.unseen(target):
            unseen.append((target, why))
            continue
        wanted = KubeObject(target.id, target.object.content, target.object.file)
        live = cluster.live(target) if target.api is not None else None
        if live is None:
            created.append(wanted)
        else:
            pairs.append((wanted, KubeObject(target.id, live)))
    found = difference(Paired(pairs, created), cluster.settings.ignored, two_way=two_way)
    return ClusterDiff(found, tuple(unseen))
