"""Random plans rendered by drivers, and whether what they wrote keeps the order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.nodes import Leaf, steps_of

from .plan_catalogs import CLUSTER, catalog, job
from .plans import CLUSTERS, PARAMETERS, random_plan

if TYPE_CHECKING:
    from random import Random

    from commodore_py.delivery.drivers.base import Job, Laid
    from commodore_py.delivery.normal import Order
    from commodore_py.delivery.plan import Plan

RANDOM_CLUSTERS = {
    name: {**CLUSTER, "server": f"https://{name}.example.com:6443"} for name in CLUSTERS
}


def named(written: Any, numbers: list[int]) -> Any:  # noqa: ANN401 - a plan as it is written
    """The plan with a name for each group, which serials in concurrents need."""
    if isinstance(written, str):
        return written
    ((kind, value),) = written.items()
    if kind in {"on", "when"}:
        inner = "do" if kind == "on" else "then"
        number = {"name": f"g{_next(numbers)}"} if kind == "on" else {}
        return {kind: {**value, inner: named(value[inner], numbers), **number}}
    return {kind: [named(one, numbers) for one in value], "name": f"g{_next(numbers)}"}


def _next(numbers: list[int]) -> int:
    numbers.append(len(numbers))
    return numbers[-1]


def rendered_random(driver: str, random: Random) -> tuple[Job, Laid]:
    """A random plan with a few instances that it does not name, rendered."""
    size = random.randint(1, 12)
    written = named(random_plan(random, size, conditions=random.random() < 0.5), [])
    names = [f"i{number}" for number in range(size)]
    trees = catalog([*names, *(f"u{number}" for number in range(random.randint(0, 2)))])
    written = {"serial": ["argocd", written]} if driver != "argocd" else written
    given = job(written, trees, PARAMETERS, clusters=RANDOM_CLUSTERS)
    laid = DRIVERS[driver].render(given)
    assert [one for one in laid.findings if one.code != "plan/unused-cluster"] == []
    return given, laid


def keeps_order(found: Order, plan: Plan) -> None:
    """Of all steps that are rendered, each has before it what the plan has before it."""
    ours, theirs = found.closed(), plan.order.closed()
    assert {one.id for one in steps_of(plan.node) if isinstance(one, Leaf)} <= ours.keys()
    steps = ours.keys() & theirs.keys()
    late = {step: (theirs[step] & steps) - ours[step] for step in steps}
    assert {step: missing for step, missing in late.items() if missing} == {}
    assert all(step not in before for step, before in ours.items())
