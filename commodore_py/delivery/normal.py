"""The normal form of a plan, and the order that it implies (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from . import conditions
from .nodes import (
    Concurrent,
    Leaf,
    On,
    Register,
    Resource,
    Serial,
    Step,
    When,
    children_of,
    steps_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.model.inventory import Parameters

    from .nodes import Node


@dataclass(frozen=True, slots=True)
class Removed:
    """An instance below a condition that is false."""

    leaf: Leaf
    when: When


def without_false(node: Node, parameters: Parameters) -> tuple[Node | None, tuple[Removed, ...]]:
    """The plan without `when`, and what was below those that are false."""
    if isinstance(node, When):
        if conditions.evaluate(node.condition, parameters)[0]:
            return without_false(node.child, parameters)
        leaves = (inner for inner in walk(node.child) if isinstance(inner, Leaf))
        return None, tuple(Removed(leaf, node) for leaf in leaves)
    if isinstance(node, On):
        child, removed = without_false(node.child, parameters)
        return (replace(node, child=child) if child else None), removed
    if isinstance(node, Serial | Concurrent):
        results = [without_false(child, parameters) for child in node.children]
        children = tuple(child for child, _ in results if child is not None)
        removed = tuple(removed for _, below in results for removed in below)
        return (replace(node, children=children) if children else None), removed
    return node, ()


def normal_form(node: Node) -> Node:
    """Add registrations to the order, and remove groups that mean nothing."""
    clusters = dict.fromkeys(inner.cluster for inner in walk(node) if isinstance(inner, On))
    for cluster in clusters:
        node = _registered(node, cluster)
    return _spliced(node)


def _registered(node: Node, cluster: str) -> Node:
    """With the registration at the latest position that precedes all users of the cluster."""
    if isinstance(node, On):
        if node.cluster == cluster:
            name = node.name or cluster
            return Serial((Register(cluster, node.path), node), node.path, name)
        return replace(node, child=_registered(node.child, cluster))
    users = [
        number
        for number, child in enumerate(children_of(node))
        if any(isinstance(inner, On) and inner.cluster == cluster for inner in walk(child))
    ]
    if isinstance(node, Concurrent) and users[1:]:
        using = tuple(node.children[number] for number in users)
        others = tuple(inner for n, inner in enumerate(node.children) if n not in set(users))
        group = Concurrent(using, node.path)
        first = Serial((Register(cluster, node.path), group), node.path, cluster)
        return replace(node, children=(*others, first))
    assert isinstance(node, Serial | Concurrent)  # noqa: S101 - only these have users below
    at = users[0]
    child = _registered(node.children[at], cluster)
    return replace(node, children=(*node.children[:at], child, *node.children[at + 1 :]))


def _spliced(node: Node) -> Node:
    if isinstance(node, On):
        return _spliced(node.child)  # its steps name the cluster
    if not isinstance(node, Serial | Concurrent):
        return node
    children: list[Node] = []
    for child in map(_spliced, node.children):
        if type(child) is type(node) and not child.name:
            children += children_of(child)
        else:
            children.append(child)
    if len(children) == 1 and not node.name:
        return children[0]
    return replace(node, children=tuple(children))


@dataclass(frozen=True, slots=True)
class Order:
    """A partial order: of each step, those directly before it."""

    before: Mapping[str, frozenset[str]]

    def closed(self) -> Mapping[str, frozenset[str]]:
        """Of each step, everything before it; a step on a circle is before itself."""
        closed: dict[str, frozenset[str]] = {}
        for start in self.before:
            seen: set[str] = set()
            left = [start]
            while left:
                for predecessor in self.before.get(left.pop(), ()):
                    if predecessor not in seen:
                        seen.add(predecessor)
                        left.extend([predecessor] if predecessor not in closed else ())
                        seen |= closed.get(predecessor, frozenset())
            closed[start] = frozenset(seen)
        return closed


def order_of(node: Node | None, last: Iterable[str] = ()) -> Order:
    """The order that a normal form implies; some are after everything else."""
    before: dict[str, set[str]] = {step.id: set() for step in steps_of(node)}
    for earlier, later in _edges(node):
        before[later].add(earlier)
    ends = lasts(node)
    before |= {step: set(ends) for step in last}
    return Order({step: frozenset(predecessors) for step, predecessors in before.items()})


def _edges(node: Node | None) -> Iterator[tuple[str, str]]:
    for child in children_of(node) if node else ():
        yield from _edges(child)
    if isinstance(node, Serial):
        for first, second in pairwise(node.children):
            yield from ((early, late) for early in lasts(first) for late in _firsts(second))


def _firsts(node: Node) -> tuple[str, ...]:
    if isinstance(node, Serial):
        return _firsts(node.children[0])
    return _all(node, _firsts)


def lasts(node: Node | None) -> tuple[str, ...]:
    """The steps after which there is none."""
    if node is None:
        return ()
    return lasts(node.children[-1]) if isinstance(node, Serial) else _all(node, lasts)


def _all(node: Node, ends: Callable[[Node], tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(node, Leaf | Resource | Register):
        return (node.id,)
    return tuple(step for child in children_of(node) for step in ends(child))


Item: TypeAlias = Step | Serial
Stages: TypeAlias = tuple[tuple[Item, ...], ...]


def stages_of(node: Node | None) -> Stages:
    """The stages of a normal form; a serial inside a concurrent is one item, all else is flat."""
    if node is None:
        return ()
    if isinstance(node, Serial):
        return tuple(stage for child in node.children for stage in stages_of(child))
    if not isinstance(node, Concurrent):
        assert not hasattr(node, "child")  # noqa: S101 - a normal form has no `when` and no `on`
        return ((node,),)
    items: list[Item] = []
    for child in node.children:
        inner = stages_of(child)
        if len(inner) == 1:
            items += inner[0]
        else:
            assert isinstance(child, Serial)  # noqa: S101 - only these have several stages
            items.append(child)
    return (tuple(items),)
