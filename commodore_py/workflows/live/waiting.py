"""Wait until the objects of a catalog are in a state, or a plan is deployed or deleted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from commodore_py.adapters import ending
from commodore_py.adapters.http import ServerAway
from commodore_py.delivery import readiness
from commodore_py.delivery.algebra import DONE, Calls, Result, World, first_not_done
from commodore_py.delivery.drivers.applications import step_of, synced_folder
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.health.assess import missing
from commodore_py.manifests.objects import value_in

from .cluster import read_again
from .compare import cluster_diff
from .status import IGNORES_HEALTH, assessed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.delivery.nodes import Leaf
    from commodore_py.manifests.objects import ObjectId
    from commodore_py.workflows.plans import PlanHere

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


State: TypeAlias = Literal[
    "Provisioned", "Provisioning", "Deprovisioned", "Deprovisioning", "Errored"
]
_PLAN_PAUSE = 10.0
_STATES: Mapping[tuple[str, bool], State] = {
    ("done", True): "Provisioned",
    ("yield", True): "Provisioning",
    ("done", False): "Deprovisioned",
    ("yield", False): "Deprovisioning",
    ("error", True): "Errored",
    ("error", False): "Errored",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the plan, as the last round found it."""

    name: str
    state: State
    text: str


@dataclass(frozen=True, slots=True)
class Waited:
    """The end of waiting; steps that were not reached are missing."""

    result: Result
    steps: tuple[Step, ...]


def wait_for_plan(
    cluster: LiveCluster,
    current: PlanHere,
    report: Callable[[str], None],
    *,
    gone: bool,
    fail_fast: bool,
    until: float,
) -> Waited:
    """Call the plan until it is done, fails, or the time is up; nothing is written."""
    world = _Watched(cluster, current, fail_fast=fail_fast)
    calls = Calls(current.plan.written, world, current.parameters)
    reported: dict[str, Step] = {}
    while True:
        world.steps = {}
        result = calls.deprovision() if gone else calls.provision()
        for name, step in world.steps.items():
            if reported.get(name) != step:
                report(line_of(step))
        reported = world.steps
        if result.state != "yield" or time.monotonic() >= until:
            return Waited(result, tuple(world.steps.values()))
        ending.pause(min(_PLAN_PAUSE, max(0.0, until - time.monotonic())))


def line_of(step: Step) -> str:
    """One step in words."""
    return f"{step.name}: {step.state}" + (f" ({step.text})" if step.text else "")


class _Watched(World):
    """The world of a plan: the objects of its back end, read by name on the host.

    Hooks are part of the sync of their instance. Remote clusters are not contacted: the host knows
    the state of what is on them. Resources are not waited for, and leave with the owner's objects.
    """

    def __init__(self, cluster: LiveCluster, current: PlanHere, *, fail_fast: bool) -> None:
        self.steps: dict[str, Step] = {}
        self._cluster, self._fail_fast = cluster, fail_fast
        self._back_end = _back_end(current)
        self._paths: dict[str, list[str]] = {}
        self._owner = ""
        namespace = ""
        for target in cluster.all_targets:
            if (target.id.group, target.id.kind) != (self._back_end.group, self._back_end.kind):
                continue
            namespace = target.id.namespace
            content = target.object.content
            folder = synced_folder(content)
            if folder is not None and PurePosixPath(target.object.file).parent.name == folder.name:
                if value_in(content, "spec", "syncPolicy", "automated", "prune") is not True:
                    self._owner = target.id.name
            else:
                name = step_of(target.id.name, folder)
                self._paths.setdefault(name, []).append(target.path)
        self._api = cluster.kinds.find(self._back_end.group, self._back_end.kind)
        self._namespace = namespace

    def provision(self, leaf: Leaf) -> Result:
        """Ready is what the back end says."""
        expected = readiness.Expected(leaf.allow_degraded, self._fail_fast)
        return self._note(leaf.id, self._ready(leaf.id, expected), up=True)

    def deprovision(self, leaf: Leaf) -> Result:
        """Gone, or requested if nothing waits for it."""
        result = self._gone(leaf.id)
        requested = leaf.background and result.text.endswith("is being deleted")
        return self._note(leaf.id, DONE if requested else result, up=False)

    def register(self, cluster: str) -> Result:
        """A step of Argo CD only; Flux has a Secret that others write."""
        name = f"cluster-{cluster}"
        if name not in self._paths:
            return DONE
        expected = readiness.Expected(fail_fast=self._fail_fast)
        return self._note(name, self._ready(name, expected), up=True)

    def deregister(self, cluster: str) -> Result:
        """Gone, if it was a step at all."""
        name = f"cluster-{cluster}"
        return self._note(name, self._gone(name), up=False) if name in self._paths else DONE

    def _ready(self, name: str, expected: readiness.Expected) -> Result:
        objects = self._objects(name)
        return first_not_done(
            readiness.result_of(self._back_end, each, expected) for each in objects
        )

    def _gone(self, name: str) -> Result:
        return first_not_done(
            readiness.gone(self._back_end, each, self._owner) for each in self._objects(name)
        )

    def _objects(self, name: str) -> Iterator[Mapping[str, Any] | None]:
        """Applications of the catalog; for what has left it, the one with its name."""
        default_path = self._api.path(self._namespace, name) if self._api is not None else ""
        paths = self._paths.get(name, [default_path])
        return (self._cluster.client.find(path) if path else None for path in paths)

    def _note(self, name: str, result: Result, *, up: bool) -> Result:
        self.steps[name] = Step(name, _STATES[result.state, up], result.text)
        return result


def _back_end(current: PlanHere) -> readiness.BackEnd:
    for driver in current.plan.settings.drivers:
        if driver in readiness.BACK_ENDS:
            return readiness.BACK_ENDS[driver]
    raise CommodoreError(
        "the plan has no driver that deploys",
        where="parameters.commodore.delivery.driver",
        hint="a script decides itself when a step is ready; omit --plan to wait for objects",
    )
