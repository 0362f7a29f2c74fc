"""The nodes of a plan, as they are written and in normal form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.spot import ParameterPath

Condition: TypeAlias = Any
"""A boolean, a path to one, or a mapping of one operator; `conditions.py` evaluates it."""


class Hooks(NamedTuple):
    """References to objects that run before and after an instance, and before its deletion."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    before_delete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """An instance; its cluster is the one of the innermost `on`, "" for the host."""

    instance: str
    path: ParameterPath = ()
    allow_degraded: bool = False
    render: bool = False
    hooks: Hooks = Hooks()
    app: Mapping[str, Any] = field(default_factory=dict)
    cluster: str = ""
    background: bool = False

    @property
    def id(self) -> str:
        """Its name in the order."""
        return self.instance


@dataclass(frozen=True, slots=True)
class Resource:
    """One object, lifted out of the folder of its instance."""

    reference: str
    path: ParameterPath = ()
    name: str = ""
    cluster: str = ""

    @property
    def id(self) -> str:
        """Its name in the order; no instance has a slash in its name."""
        return f"resource/{self.name or self.reference}"


@dataclass(frozen=True, slots=True)
class Register:
    """A cluster becomes known to the host."""

    cluster: str
    path: ParameterPath = ()

    @property
    def id(self) -> str:
        """Its name in the order, and that of its Application."""
        return f"cluster-{self.cluster}"


@dataclass(frozen=True, slots=True)
class Serial:
    """Each child starts when the one before is ready."""

    children: tuple[Node, ...]
    path: ParameterPath = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Concurrent:
    """No order between the children; ready when all are."""

    children: tuple[Node, ...]
    path: ParameterPath = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class When:
    """If the condition is false, the instances below leave the catalog."""

    condition: Condition
    child: Node
    path: ParameterPath = ()


@dataclass(frozen=True, slots=True)
class On:
    """Everything below is deployed on a cluster, which is registered first."""

    cluster: str
    child: Node
    path: ParameterPath
    name: str = ""


Step: TypeAlias = Leaf | Resource | Register
Node: TypeAlias = Step | Serial | Concurrent | When | On


def children_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    if isinstance(node, Serial | Concurrent):
        return node.children
    return (node.child,) if isinstance(node, When | On) else ()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below, as written."""
    yield node
    for child in children_of(node):
        yield from walk(child)


def steps_of(node: Node | None) -> Iterator[Step]:
    """The nodes that are deployed, created or registered, as written."""
    if node is not None:
        for inner in walk(node):
            if isinstance(inner, Leaf | Resource | Register):
                yield inner
