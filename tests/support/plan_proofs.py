"""Random plans rendered by drivers, and whether what they wrote keeps the order."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.nodes import Leaf, steps_of

from .plan_catalogs import CLUSTER, catalog, job
from .plans import CLUSTERS, PARAMETERS, random_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from commodore_py.delivery.drivers.base import Job, Laid
    from commodore_py.delivery.normal import Order
    from commodore_py.delivery.plan import Plan

    from .plans import Written

RANDOM_CLUSTERS = {
    name: {**CLUSTER, "server": f"https://{name}.example.com:6443"} for name in CLUSTERS
}


class Rendered(NamedTuple):
    """A random plan, and what a driver made of it."""

    written: Written
    unlisted: tuple[str, ...]
    degraded: frozenset[str]
    """Instances that are Degraded in the end, which the plan allows."""
    job: Job
    laid: Laid


def rendered_random(driver: str, random: Random) -> Rendered:
    """A random plan with a few instances that it does not name, rendered."""
    size = random.randint(1, 12)
    names = [f"i{number}" for number in range(size)]
    degraded = frozenset(name for name in names if random.random() < 0.15)
    written = random_plan(random, size, conditions=random.random() < 0.5)
    written = _with_names(written, degraded, count())
    unlisted = tuple(f"u{number}" for number in range(random.randint(0, 2)))
    trees = catalog([*names, *unlisted])
    if driver != "argocd":
        unlisted = (*unlisted, "argocd")  # which has no Application of its own
    given = job(written, trees, PARAMETERS, clusters=RANDOM_CLUSTERS)
    laid = DRIVERS[driver].render(given)
    assert [one for one in laid.findings if one.code != "plan/unused-cluster"] == []
    return Rendered(written, unlisted, degraded, given, laid)


def _with_names(written: Written, degraded: frozenset[str], numbers: Iterator[int]) -> Written:
    """The plan with a name for each group, which serials in concurrents need."""
    if isinstance(written, str):
        return {"instance": written, "allowDegraded": True} if written in degraded else written
    ((kind, value),) = written.items()
    if kind == "when":
        return {"when": {**value, "then": _with_names(value["then"], degraded, numbers)}}
    name = {"name": f"g{next(numbers)}"}
    if kind == "on":
        return {"on": {**value, "do": _with_names(value["do"], degraded, numbers), **name}}
    return {kind: [_with_names(one, degraded, numbers) for one in value], **name}


def keeps_order(found: Order, plan: Plan) -> None:
    """Of all steps that are rendered, each has before it what the plan has before it."""
    ours, theirs = found.closed(), plan.order.closed()
    assert {one.id for one in steps_of(plan.node) if isinstance(one, Leaf)} <= ours.keys()
    steps = ours.keys() & theirs.keys()
    late = {step: (theirs[step] & steps) - ours[step] for step in steps}
    assert {step: missing for step, missing in late.items() if missing} == {}
    assert all(step not in before for step, before in ours.items())
