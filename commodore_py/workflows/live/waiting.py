"""Wait until the objects of a catalog are in a state."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from commodore_py.adapters import ending
from commodore_py.adapters.http import ServerAway
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.health.assess import missing

from .cluster import read_again
from .compare import cluster_diff
from .status import IGNORES_HEALTH, assessed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.manifests.objects import ObjectId

    from .cluster import LiveCluster

Goal: TypeAlias = Literal["healthy", "synced", "gone"]
_LOOK_AGAIN = 1.0
_SHARE = 3
"""How much longer than reading a pause is."""
_NEVER = f'if that never comes, annotate it with {IGNORES_HEALTH}: "true"'
_REMEDIES = {"Ingress": _NEVER, "Service": _NEVER}
"""What helps with kinds that some clusters never complete."""


@dataclass(frozen=True, slots=True)
class Left:
    """An object that is not yet as wanted, and why."""

    id: ObjectId
    why: str


def wait_for(
    cluster: LiveCluster, goal: Goal, *, until: float, report: Callable[[str], None]
) -> tuple[Left, ...]:
    """Return when the goal is reached, or the time is up: then with what is left.

    The objects are read again after a pause, which is longer where reading takes long.
    """
    began, reported = time.monotonic(), ""
    hopeless = (
        CommodoreError(f"{target.id} cannot be read: {why}")
        for target in cluster.targets
        if target.application is not None and (why := cluster.unseen(target))
    )
    raise_collected(hopeless, "waiting cannot end")
    left = tuple(_left(cluster, goal))
    while left:
        more = f", and {len(left) - 1} more" if left[1:] else ""
        words = f"waiting for {left[0].id}{more}: {left[0].why}"
        if words != reported:
            report(words)
            reported = words
        now = time.monotonic()
        if now >= until:
            return left
        ending.pause(min(max(_LOOK_AGAIN, _SHARE * (now - began)), until - now))
        began = time.monotonic()
        try:
            cluster = read_again(cluster)
            left = tuple(_left(cluster, goal))
        except ServerAway as error:
            report(f"the cluster does not answer, it is asked again: {error}")
    return ()


def _left(cluster: LiveCluster, goal: Goal) -> Iterator[Left]:
    for target in cluster.targets:
        if target.application is None:
            continue
        if why := cluster.unseen(target):
            yield Left(target.id, f"it cannot be read: {why}")
        elif goal == "gone" and cluster.seen.get(target.id) is not None:
            yield Left(target.id, "it is still there")
    if goal == "healthy":
        yield from _unhealthy(cluster)
    elif goal == "synced":
        for change in cluster_diff(cluster).diff.objects:
            yield Left(change.id, f"it has to be {change.what}")


def _unhealthy(cluster: LiveCluster) -> Iterator[Left]:
    """Objects that are not healthy yet; an error for those that have failed."""
    failed = []
    for each in assessed_in(cluster, {}):
        health, id_ = each.health, each.target.id
        if health is None or each.ignores_health or health.status in (None, "Healthy"):
            continue
        if health == missing():
            yield Left(id_, "Missing")
        elif health.status == "Degraded":
            failed.append(CommodoreError(f"{id_} has failed: {health.message}"))
        else:
            rule = f"by {health.source}" if health.source else ""
            why = f"{health.status} {rule}: {health.message}".strip(": ")
            remedy = _REMEDIES.get(id_.kind, "")
            if health.status == "Suspended":
                remedy = f'resume it, or annotate it with {IGNORES_HEALTH}: "true"'
            yield Left(id_, f"{why}; {remedy}" if remedy else why)
    raise_collected(failed, "what is waited for has failed")
