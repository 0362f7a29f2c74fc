"""Simulation of a plan: it is called in rounds until it is done (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .algebra import DONE, Calls, Result, World
from .nodes import Leaf, On, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.inventory import Parameters

    from .nodes import Node, Resource

Direction = Literal["up", "down"]
ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Model:
    """The simulated instances and clusters, by name."""

    yields: Mapping[str, int] = field(default_factory=dict)
    """Calls before something is ready, registered or gone; 1 by default."""
    fails: Mapping[str, int] = field(default_factory=dict)
    """The round in which an instance fails; 0 for all."""
    degrades: frozenset[str] = frozenset()
    lost: Mapping[str, int] = field(default_factory=dict)
    """The round from which a cluster cannot be reached."""


@dataclass(frozen=True, slots=True)
class Event:
    """Result of a step in a round."""

    round: int
    step: str
    action: str
    state: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All rounds, and the result of the last one."""

    events: tuple[Event, ...]
    rounds: int
    result: Result


class _Pretended(World):
    def __init__(self, model: Model) -> None:
        self.round = 0
        self.events: list[Event] = []
        self._model = model
        self._first: dict[tuple[str, str], int] = {}

    def provision(self, leaf: Leaf) -> Result:
        """Ready some rounds after it was handed over."""
        if self._model.fails.get(leaf.id) in (0, self.round):
            return self._note(leaf.id, "provision", Result("error", "made to fail"), leaf.cluster)
        if leaf.id in self._model.degrades and not leaf.allow_degraded:
            return self._note(leaf.id, "provision", Result("yield", "degraded"), leaf.cluster)
        return self._note(leaf.id, "provision", self._after(leaf.id, "up"), leaf.cluster)

    def deprovision(self, leaf: Leaf) -> Result:
        """Gone some rounds after it was deleted, in the background at once."""
        if self._model.fails.get(leaf.id) in (0, self.round):
            return self._note(leaf.id, "deprovision", Result("error", "made to fail"), leaf.cluster)
        result = DONE if leaf.background else self._after(leaf.id, "down")
        return self._note(leaf.id, "deprovision", result, leaf.cluster)

    def hook(self, leaf: Leaf, reference: str) -> Result:
        """Done in the round after it was started."""
        result = self._after(f"{leaf.id} {reference}", "hook")
        return self._note(leaf.id, f"hook {reference}", result, leaf.cluster)

    def register(self, cluster: str) -> Result:
        """Registered some rounds after the first attempt."""
        result = self._after(cluster, "register")
        return self._note(f"cluster-{cluster}", "register", result)

    def deregister(self, cluster: str) -> Result:
        """Done at once."""
        return self._note(f"cluster-{cluster}", "deregister", DONE)

    def reachable(self, cluster: str) -> bool:
        """Until it is lost."""
        return self.round < self._model.lost.get(cluster, self.round + 1)

    def create(self, resource: Resource) -> Result:
        """Done at once."""
        return self._note(resource.id, "create", DONE, resource.cluster)

    def delete(self, resource: Resource) -> Result:
        """Gone in the round after it was deleted."""
        return self._note(resource.id, "delete", self._after(resource.id, "down"), resource.cluster)

    def _after(self, name: str, what: str) -> Result:
        first = self._first.setdefault((name, what), self.round)
        left = first + self._model.yields.get(name, 1) - self.round
        return Result("yield", "not ready yet") if left > 0 else DONE

    def _note(self, step: str, action: str, result: Result, cluster: str = "") -> Result:
        text = result.text or (f"on {cluster}" if cluster else "")
        self.events.append(Event(self.round, step, action, result.state, text))
        return result


def simulate(
    node: Node,
    model: Model,
    parameters: Parameters,
    *,
    direction: Direction = "up",
) -> Timeline:
    """Call the plan until it is done, fails, or the rounds run out."""
    world = _Pretended(model)
    calls = Calls(node, world, parameters)
    result = Result("yield")
    while world.round < ROUNDS and result.state == "yield":
        world.round += 1
        result = calls.provision() if direction == "up" else calls.deprovision()
    return Timeline(tuple(world.events), world.round, result)


def names_in(node: Node) -> tuple[set[str], set[str]]:
    """The instances and the clusters that a simulation knows."""
    leaves = {inner.instance for inner in walk(node) if isinstance(inner, Leaf)}
    return leaves, {inner.cluster for inner in walk(node) if isinstance(inner, On)}
