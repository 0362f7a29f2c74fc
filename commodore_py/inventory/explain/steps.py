"""Layers of a target, and the effect of each on the value at a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from commodore_py.inventory.engine.merge import ConstantKey, merge
from commodore_py.inventory.engine.values import ResolveError, Unresolved
from commodore_py.model.problem import Place

from .places import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import yaml

    from commodore_py.inventory.engine.values import Map, Value
    from commodore_py.model.spot import ParameterPath

    from .lookups import Lookup


@dataclass(eq=False)
class Layer:
    """A class file, or the target's own, as one layer of a target."""

    name: str
    absolute: str
    """The full name of the class."""
    chain: tuple[str, ...]
    parameters: Map
    file: str
    read_fields: Callable[[], Mapping[str, yaml.Node]] = dict

    @cached_property
    def fields(self) -> Mapping[str, yaml.Node]:
        """The nodes of the file; none without a file."""
        return self.read_fields()

    def place(self, node: yaml.Node | None) -> Place:
        """The place of a node in this layer."""
        return Place(self.file, line_of(node) if node is not None else 0)


class _Absent:
    """The absence of a value; null is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Value = _Absent()


@dataclass(slots=True)
class Step:
    """The effect of one layer on the value at a path."""

    layer: Layer
    at: ParameterPath
    """The path that the layer sets: the same, or one above it."""
    value: Value
    node: yaml.Node | None = None
    key: yaml.Node | None = None
    constant: bool = False
    resets: bool = False
    """Whether the values of all lower layers are discarded."""
    mark: str = ""
    """The key with the `~` that did it, if it was one."""
    lookup: Lookup | None = None
    """The reference that gives the value, if a parameter above the path is one."""
    error: ResolveError | None = None
    within: bool = False
    """Whether the error concerns one key of the mapping, not all of it."""
    before: Value = ABSENT
    after: Value = ABSENT

    @property
    def place(self) -> Place:
        """File and line."""
        return self.layer.place(self.key or self.node)


def settle(steps: Iterable[Step], resolved: Callable[[Value], Value]) -> None:
    """Set the value before and after each step."""
    live: list[Value] = []
    value: Value = ABSENT
    broken: ResolveError | None = None
    for step in steps:
        step.before = value
        if step.resets:
            live, broken = [], None
        if step.value is not ABSENT and step.error is None:
            live.append(resolved(step.value))
        if step.error is not None:
            broken = broken or step.error
        elif broken is None and live:
            try:
                # The topmost layer must be valid; what it replaces need not be.
                top = live[-1]
                value = top if type(top) is Unresolved else merge(live)
            except ResolveError as error:
                step.error = broken = error
                step.within = isinstance(error, ConstantKey)
        if broken is not None:
            value = Unresolved(broken)
        elif not live:
            value = ABSENT
        step.after = value
