"""Wait until a plan is deployed, or deleted: its calls, by what the cluster says of each step."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from commodore_py.adapters import ending
from commodore_py.delivery.algebra import DONE, Calls, Result, World
from commodore_py.delivery.conditions import holds
from commodore_py.delivery.drivers.applications import step_of, synced_folder
from commodore_py.delivery.readiness import BACK_ENDS, Expected, gone, result_of
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import value_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.delivery.algebra import Where
    from commodore_py.delivery.nodes import Leaf
    from commodore_py.delivery.readiness import BackEnd
    from commodore_py.workflows.plans import PlanHere

    from .cluster import LiveCluster

State: TypeAlias = Literal[
    "Provisioned", "Provisioning", "Deprovisioned", "Deprovisioning", "Errored"
]
_LOOK_AGAIN = 10.0
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


@dataclass(frozen=True, slots=True)
class Waiting:
    """How to wait."""

    gone: bool
    fail_fast: bool
    until: float
    """When the time is up, by the monotonic clock."""


def wait_for_plan(
    cluster: LiveCluster, current: PlanHere, how: Waiting, report: Callable[[str], None]
) -> Waited:
    """Call the plan until it is done, fails, or the time is up; nothing is written."""
    world = _Watched(cluster, current, how)
    calls = Calls(
        current.plan.written, world, lambda condition: holds(condition, current.parameters)
    )
    reported: dict[str, Step] = {}
    while True:
        world.steps = {}
        result = calls.deprovision() if how.gone else calls.provision()
        for name, step in world.steps.items():
            if reported.get(name) != step:
                report(line_of(step))
        reported = world.steps
        if result.state != "yield" or time.monotonic() >= how.until:
            return Waited(result, tuple(world.steps.values()))
        ending.pause(min(_LOOK_AGAIN, max(0.0, how.until - time.monotonic())))


def line_of(step: Step) -> str:
    """One step in words."""
    return f"{step.name}: {step.state}" + (f" ({step.text})" if step.text else "")


class _Watched(World):
    """The world of a plan: the objects of its back end, read by name on the host.

    Hooks are part of the sync of their instance. Remote clusters are not contacted: the host knows
    the state of what is on them. Resources are not waited for, and leave with the owner's objects.
    """

    def __init__(self, cluster: LiveCluster, current: PlanHere, how: Waiting) -> None:
        self.steps: dict[str, Step] = {}
        self._cluster, self._how = cluster, how
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

    def provision(self, leaf: Leaf, where: Where) -> Result:
        """Ready is what the back end says."""
        del where
        expected = Expected(leaf.allow_degraded, self._how.fail_fast)
        return self._note(leaf.id, self._ready(leaf.id, expected), up=True)

    def deprovision(self, leaf: Leaf, where: Where) -> Result:
        """Gone, or requested if nothing waits for it."""
        result = self._gone(leaf.id)
        requested = where.background and result.text.endswith("is being deleted")
        return self._note(leaf.id, DONE if requested else result, up=False)

    def register(self, cluster: str) -> Result:
        """A step of Argo CD only; Flux has a Secret that others write."""
        name = f"cluster-{cluster}"
        if name not in self._paths:
            return DONE
        expected = Expected(fail_fast=self._how.fail_fast)
        return self._note(name, self._ready(name, expected), up=True)

    def deregister(self, cluster: str) -> Result:
        """Gone, if it was a step at all."""
        name = f"cluster-{cluster}"
        return self._note(name, self._gone(name), up=False) if name in self._paths else DONE

    def _ready(self, name: str, expected: Expected) -> Result:
        objects = self._objects(name)
        return _first_not_done(result_of(self._back_end, each, expected) for each in objects)

    def _gone(self, name: str) -> Result:
        return _first_not_done(
            gone(self._back_end, each, self._owner) for each in self._objects(name)
        )

    def _objects(self, name: str) -> Iterator[Mapping[str, Any] | None]:
        """Applications of the catalog; for what has left it, the one with its name."""
        default_path = self._api.path(self._namespace, name) if self._api is not None else ""
        paths = self._paths.get(name, [default_path])
        return (self._cluster.client.find(path) if path else None for path in paths)

    def _note(self, name: str, result: Result, *, up: bool) -> Result:
        self.steps[name] = Step(name, _STATES[result.state, up], result.text)
        return result


def _first_not_done(results: Iterator[Result]) -> Result:
    return next((result for result in results if result.state != "done"), DONE)


def _back_end(current: PlanHere) -> BackEnd:
    back_end = next(
        (BACK_ENDS[driver] for driver in current.plan.settings.drivers if driver in BACK_ENDS), None
    )
    if back_end is None:
        raise CommodoreError(
            "the plan has no driver that deploys",
            where="parameters.commodore.delivery.driver",
            hint="a script decides itself when a step is ready; omit --plan to wait for objects",
        )
    return back_end
