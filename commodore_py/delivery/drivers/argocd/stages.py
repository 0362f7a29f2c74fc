"""A plan as stages, one after the other, of which each has items that have no order (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from commodore_py.delivery.nodes import Concurrent, Serial, Step

if TYPE_CHECKING:
    from commodore_py.delivery.nodes import Node

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
