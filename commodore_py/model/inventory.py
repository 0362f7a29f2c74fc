"""The resolved hierarchy: one node per target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

Parameters: TypeAlias = Mapping[str, Any]

BOOTSTRAP = "cluster"
"""The target that describes the cluster itself; it is never compiled."""


CLASSES = "classes"


def parameter_key(name: str) -> str:
    """The parameter key of a component or an instance."""
    return name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Node:
    """The content of the hierarchy for one target."""

    name: str
    parameters: Parameters
    applications: tuple[str, ...] = ()
    included: tuple[tuple[str, ...], ...] = ()
    """Lists of included classes, in the order in which they were merged."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The node as postprocess filters see it, extra keys included."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all included classes."""
        return names_in(self.included)


class NodeFields(Mapping[str, Any]):
    """Fields of a node; of its classes, often thousands, names are put together when asked for."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a value of the hierarchy
        value = self._fields[key]
        return list(names_in(value)) if key == CLASSES else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def names_in(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All names of some lists, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(lists)))


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
        """True if it goes by another name than its component."""
        return self.name != self.component


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every node by target name, and the instances that have one."""

    nodes: Mapping[str, Node]
    instances: tuple[Instance, ...] = ()

    @property
    def bootstrap(self) -> Node:
        """The node of the cluster itself."""
        return self.nodes[BOOTSTRAP]


def has_plan(parameters: Parameters) -> bool:
    """Return whether a cluster orders its instances."""
    commodore = parameters.get("commodore")
    return isinstance(commodore, dict) and commodore.get("plan") is not None
