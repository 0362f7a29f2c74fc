"""Compare requirements of components with the order of a plan (pure)."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Required:
    """An instance, and those of a component that it requires."""

    name: str
    component: str
    candidates: tuple[str, ...]


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
    for required in _required(requires, components, removed):
        path = leaves[required.name].path if required.name in leaves else PLAN
        what = f"instance {required.name} requires {required.component}"
        kept = [candidate for candidate in required.candidates if candidate not in removed]
        if not kept:
            message = f"{what}, which the plan removes"
            yield Finding("plan/requires-removed", message, path, "remove both, or none")
        elif all(required.name in closed[candidate] for candidate in kept):
            yield Finding("plan/requires", f"{what}, which comes later", path, _REMEDY)
        else:
            if len(kept) == 1:
                edges[required.name].add(kept[0])
            listed = required.name in leaves or any(candidate in leaves for candidate in kept)
            if listed and not closed[required.name].intersection(kept):
                message = f"{what}, and the plan has no order for them"
                yield Finding("plan/requires-unordered", message, path, "write them in a serial")
    cycle = _cycle(edges)
    if cycle:
        message = f"the plan and what components require form a cycle: {' before '.join(cycle)}"
        yield Finding("plan/requires", message, PLAN, _REMEDY)


def _required(
    requires: Mapping[str, Iterable[str]],
    components: Mapping[str, list[str]],
    removed: Collection[str],
) -> Iterator[_Required]:
    for name in sorted(requires.keys() - set(removed)):
        for component in sorted(requires[name]):
            candidates = tuple(sorted(set(components.get(component, ())) - {name}))
            if candidates:
                yield _Required(name, component, candidates)


def _cycle(before: Mapping[str, set[str]]) -> tuple[str, ...]:
    """Steps of which each is before the next, the first again at the end; empty without any."""
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()
