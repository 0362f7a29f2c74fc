"""Compare requirements of components with the order of a plan (pure)."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from .findings import Finding
from .nodes import Leaf, steps_of
from .reading import PLAN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from commodore_py.model.inventory import Instance

    from .nodes import Node
    from .normal import Order

_REMEDY = "change the plan, or what the component requires"


def requirement_findings(
    node: Node | None,
    order: Order,
    removed: Collection[str],
    instances: Iterable[Instance],
    requires: Mapping[str, Iterable[str]],
) -> Iterator[Finding]:
    """Requirements that the plan removes, contradicts, or leaves without an order.

    `requires` has the components by instance. Of several instances of a component, one is enough;
    those that are not deployed at all are reported without a plan, too.
    """
    components: dict[str, list[str]] = {}
    for instance in instances:
        components.setdefault(instance.component, []).append(instance.name)
    leaves = {step.instance: step for step in steps_of(node) if isinstance(step, Leaf)}
    closed = order.closed()
    edges = {step: set(before) for step, before in order.before.items()}
    required = {(name, component) for name in requires for component in requires[name]}
    for name, component in sorted(required):
        candidates = sorted({*components.get(component, ())} - {name})
        if name in removed or not candidates:
            continue
        path = leaves[name].path if name in leaves else PLAN
        what = f"instance {name} requires {component}"
        kept = [candidate for candidate in candidates if candidate not in removed]
        if not kept:
            message = f"{what}, which the plan removes"
            yield Finding("plan/requires-removed", message, path, "remove both, or none")
        elif all(name in closed[candidate] for candidate in kept):
            yield Finding("plan/requires", f"{what}, which comes later", path, _REMEDY)
        else:
            if len(kept) == 1:
                edges[name].add(kept[0])
            listed = name in leaves or any(candidate in leaves for candidate in kept)
            if listed and not closed[name].intersection(kept):
                message = f"{what}, and the plan has no order for them"
                yield Finding("plan/requires-unordered", message, path, "write them in a serial")
    cycle = _cycle(edges)
    if cycle:
        message = f"the plan and what components require form a cycle: {' before '.join(cycle)}"
        yield Finding("plan/requires", message, PLAN, _REMEDY)


def _cycle(before: Mapping[str, set[str]]) -> tuple[str, ...]:
    """Steps of which each is before the next, the first again at the end; empty without any."""
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()
