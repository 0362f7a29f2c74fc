"""Random plans, and a second opinion about what a call of one does: with real threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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


class Second:
    """Calls of a plan as it is written, without any code of ours; concurrent nodes are threads."""

    def __init__(
        self, plan: Written, *, yields: dict[str, int], fails: dict[str, int], lost: dict[str, int]
    ) -> None:
        self.plan, self.yields, self.fails, self.lost = plan, yields, fails, lost
        self.round = 0
        self.log: list[tuple[int, str, str, str]] = []
        self.begun: dict[tuple[str, str], int] = {}
        self.done_users: set[int] = set()

    def run(self, direction: str, rounds: int) -> str:
        state = "yield"
        while self.round < rounds and state == "yield":
            self.round += 1
            state = self.call(self.plan, direction, "", False)
        return state

    def call(self, node: Written, direction: str, cluster: str, background: bool) -> str:
        if isinstance(node, str):
            return self.leaf(node, direction, background=background)
        ((kind, value),) = node.items()

        def below(child: Written) -> Callable[[], str]:
            return lambda: self.call(child, direction, cluster, background)

        if kind == "serial":
            for child in value if direction == "up" else value[::-1]:
                state = below(child)()
                if state != "done":
                    return state
            return "done"
        if kind == "concurrent":
            with ThreadPoolExecutor(len(value)) as threads:
                states = [one.result() for one in [threads.submit(below(c)) for c in value]]
            return _first(states)
        if kind == "when":
            way = direction if PARAMETERS[value["if"]] else "down"
            return self.call(value["then"], way, cluster, background)
        return self.remote(value, direction)

    def remote(self, value: Written, direction: str) -> str:
        name = value["cluster"]
        if direction == "up":
            self.done_users.discard(id(value))
            if self.after(name, "register") != "done":
                return "yield"
            return self.call(value["do"], "up", name, bool(value["background"]))
        state = "done"
        if self.round < self.lost.get(name, self.round + 1):
            state = self.call(value["do"], "down", name, bool(value["background"]))
        if state == "done":
            self.done_users.add(id(value))
        return state

    def leaf(self, name: str, direction: str, *, background: bool) -> str:
        if self.fails.get(name) == self.round:
            state = "error"
        elif direction == "down" and background:
            state = "done"
        else:
            state = self.after(name, direction)
        self.log.append((self.round, name, direction, state))
        return state

    def after(self, name: str, what: str) -> str:
        first = self.begun.setdefault((name, what), self.round)
        return "done" if self.round - first >= self.yields.get(name, 1) else "yield"


def _first(states: Sequence[str]) -> str:
    return next((one for one in states if one != "done"), "done")
