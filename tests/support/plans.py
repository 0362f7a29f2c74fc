"""Random plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from random import Random

Written: TypeAlias = Any
"""A plan as the hierarchy has it."""

CLUSTERS = ("far", "near")
PARAMETERS = {"yes": True, "no": False}


def random_plan(random: Random, size: int, *, conditions: bool = True) -> Written:
    """A plan of so many instances `i0`, `i1`, …"""
    names = [f"i{number}" for number in range(size)]
    return _made(random, names, conditions=conditions, depth=0)


def _made(random: Random, names: list[str], *, conditions: bool, depth: int) -> Written:
    def inner(part: list[str]) -> Written:
        return _made(random, part, conditions=conditions, depth=depth + 1)

    if depth < 5 and random.random() < 0.2:
        cluster = random.choice(CLUSTERS)
        return {"on": {"cluster": cluster, "background": random.random() < 0.5, "do": inner(names)}}
    if conditions and depth < 5 and random.random() < 0.15:
        return {"when": {"if": random.choice(("yes", "no")), "then": inner(names)}}
    if len(names) == 1 or depth > 5:
        if len(names) == 1:
            return names[0]
        return {random.choice(("serial", "concurrent")): names}
    cuts = sorted(random.sample(range(1, len(names)), min(len(names) - 1, random.randint(1, 3))))
    parts = [names[a:b] for a, b in zip([0, *cuts], [*cuts, len(names)], strict=True)]
    return {random.choice(("serial", "concurrent")): [inner(part) for part in parts]}
