"""Run one call of a plan, and return its result (pure but for its world)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from . import conditions
from .nodes import Concurrent, Leaf, On, Resource, Serial, When, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.spot import ParameterPath

    from .nodes import Node


@dataclass(frozen=True, slots=True)
class Result:
    """Done, yield (expected: call again), or an error."""

    state: Literal["done", "yield", "error"]
    text: str = ""


DONE = Result("done")


class World(ABC):
    """The world that steps act on; every action may be repeated."""

    @abstractmethod
    def provision(self, leaf: Leaf) -> Result:
        """Hand an instance over; done once it is ready."""

    @abstractmethod
    def deprovision(self, leaf: Leaf) -> Result:
        """Delete an instance; done once it is gone, in the background once it is requested."""

    def hook(self, _leaf: Leaf, _reference: str) -> Result:
        """Run an object to its end."""
        return DONE

    def register(self, _cluster: str) -> Result:
        """Make a cluster known to the host."""
        return DONE

    def deregister(self, _cluster: str) -> Result:
        """Forget a cluster that nothing uses any more."""
        return DONE

    def reachable(self, _cluster: str) -> bool:
        """Return whether the cluster still answers."""
        return True

    def create(self, _resource: Resource) -> Result:
        """Create or update an object, without waiting for it."""
        return DONE

    def delete(self, _resource: Resource) -> Result:
        """Delete an object; done once it is not found."""
        return DONE


class Calls:
    """Calls of one plan; what is registered and released is remembered between them."""

    def __init__(self, root: Node, world: World, parameters: Parameters) -> None:
        self._root, self._world, self._parameters = root, world, parameters
        self._users: dict[str, set[ParameterPath]] = {}
        for node in walk(root):
            if isinstance(node, On):
                self._users.setdefault(node.cluster, set()).add(node.path)
        self._released: set[ParameterPath] = set()

    def provision(self) -> Result:
        """One call in the direction of creation."""
        return self._up(self._root)

    def deprovision(self) -> Result:
        """One call in the direction of deletion."""
        return self._down(self._root)

    def _up(self, node: Node) -> Result:  # noqa: PLR0911 - one for each kind of node
        if isinstance(node, Serial):
            return first_not_done(self._up(child) for child in node.children)
        if isinstance(node, Concurrent):
            return first_not_done([self._up(child) for child in node.children])
        if isinstance(node, When):
            holds, _ = conditions.evaluate(node.condition, self._parameters)
            return (self._up if holds else self._down)(node.child)
        if isinstance(node, On):
            self._released.discard(node.path)
            result = self._world.register(node.cluster)
            if result.state != "done":
                return Result("yield", result.text)
            return self._up(node.child)
        if isinstance(node, Resource):
            result = self._world.create(node)
            return result if result.state == "error" else DONE
        assert isinstance(node, Leaf)  # noqa: S101 - a plan as it is written registers nothing
        steps = (
            *self._hooks(node, node.hooks.before),
            partial(self._world.provision, node),
            *self._hooks(node, node.hooks.after),
        )
        return first_not_done(step() for step in steps)

    def _down(self, node: Node) -> Result:
        if isinstance(node, Serial):
            return first_not_done(self._down(child) for child in reversed(node.children))
        if isinstance(node, Concurrent):
            return first_not_done([self._down(child) for child in node.children])
        if isinstance(node, When):
            return self._down(node.child)
        if isinstance(node, On):
            return self._leave(node)
        if isinstance(node, Resource):
            return self._world.delete(node)
        assert isinstance(node, Leaf)  # noqa: S101 - a plan as it is written registers nothing
        steps = (
            *self._hooks(node, node.hooks.before_delete),
            partial(self._world.deprovision, node),
        )
        return first_not_done(step() for step in steps)

    def _leave(self, node: On) -> Result:
        if self._world.reachable(node.cluster):
            removed = self._down(node.child)
            if removed.state != "done":
                return removed
        self._released.add(node.path)
        if self._users[node.cluster] <= self._released:
            return self._world.deregister(node.cluster)
        return DONE

    def _hooks(self, leaf: Leaf, references: Iterable[str]) -> Iterable[partial[Result]]:
        return (partial(self._world.hook, leaf, reference) for reference in references)


def first_not_done(results: Iterable[Result]) -> Result:
    """The first as written, as no call takes time; of a generator, nothing behind it is called."""
    return next((result for result in results if result.state != "done"), DONE)
