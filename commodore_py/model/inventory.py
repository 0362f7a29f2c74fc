"""The resolved hierarchy: one node per target."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Parameters: TypeAlias = Mapping[str, Any]

BOOTSTRAP = "cluster"
"""The target that describes the cluster itself; it is never compiled."""


def parameter_key(name: str) -> str:
    """The parameter key of a component or an instance."""
    return name.replace("-", "_")


class Node(NamedTuple):
    """The content of the hierarchy for one target."""

    name: str
    parameters: Parameters
    applications: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = MappingProxyType({})
    """The node as postprocess filters see it, extra keys included."""


class Instance(NamedTuple):
    """A component under a name; most carry the component's own."""

    name: str
    component: str

    @property
    def key(self) -> str:
        """The parameter key of the instance."""
        return parameter_key(self.name)

    @property
    def component_key(self) -> str:
        """The parameter key of the component."""
        return parameter_key(self.component)

    @property
    def aliased(self) -> bool:
        """Whether it goes by another name than its component."""
        return self.name != self.component


class Inventory(NamedTuple):
    """Every node by target name, and the instances that have one."""

    nodes: Mapping[str, Node]
    instances: tuple[Instance, ...] = ()

    @property
    def bootstrap(self) -> Node:
        """The node of the cluster itself."""
        return self.nodes[BOOTSTRAP]
