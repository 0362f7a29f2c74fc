"""Layers of a target, and the effect of each on the value at a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from commodore_py.inventory.engine.merge import ConstantKey, merge
from commodore_py.inventory.engine.values import (
    Map,
    ResolveError,
    Sequence,
    Stack,
    Token,
    Unresolved,
    plain,
    plain_key,
)
from commodore_py.model.problem import Place

from .places import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import yaml

    from commodore_py.inventory.engine.values import Value
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

    def whole(self) -> Step:
        """The effect on all parameters."""
        return Step(self, (), self.parameters, self.fields.get("parameters"))


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
    references: tuple[Lookup, ...] = ()
    """Those in the value, where it is explained."""

    @property
    def place(self) -> Place:
        """File and line."""
        return self.layer.place(self.key or self.node)

    @property
    def action(self) -> str:  # noqa: PLR0911 - a line per kind of step
        """The effect on the value: set, replace, merge, append, override, null, remove or fail."""
        before, after = self.before, self.after
        if self.error is not None or type(after) is Unresolved:
            return "fail"
        if self.value is ABSENT:
            return "remove"
        if before is ABSENT:
            return "set"
        if after is None:
            return "null"
        if self.resets:
            return "override"
        if type(before) is Map and type(after) is Map:
            return "merge"
        if isinstance(before, (list, Sequence)) and isinstance(after, (list, Sequence)):
            return "append"
        return "replace"

    def key_written(self, name: str) -> str:
        """The key as written, with its marks; the name of the parameter if there is no file."""
        return str(self.key.value if self.key is not None else "") or name

    @property
    def written(self) -> Any:  # noqa: ANN401 - plain YAML values
        """The value as in its file, with references and marks; `ABSENT` if it is removed."""
        return _as_written(self.value)

    @property
    def problem(self) -> str:
        """Why there is no value from here on, if so."""
        return str(self.error) if self.error is not None else problem_of(self.after)


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


def plain_value(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    """A value as plain YAML values; `ABSENT` if it cannot be resolved."""
    if value is ABSENT or type(value) is Unresolved:
        return ABSENT
    return _without_unresolved(plain(value))


def _without_unresolved(value: Any) -> Any:  # noqa: ANN401 - plain YAML values
    """A value with a message in place of each part that cannot be resolved."""
    if isinstance(value, dict):
        return {key: _without_unresolved(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_without_unresolved(item) for item in value]
    return f"<cannot be resolved: {value.error}>" if isinstance(value, Unresolved) else value


def problem_of(value: Value) -> str:
    """Why a value cannot be resolved; empty if it can."""
    return str(value.error) if type(value) is Unresolved else ""


def _as_written(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    """A value as in its file, with references and marks."""
    match value:
        case Token():
            return value.text
        case Map():
            return {_marked(value, key): _as_written(child) for key, child in value.items.items()}
        case Sequence():
            return [_as_written(item) for item in value.items]
        case list():
            return [_as_written(item) for item in value]
        case Stack():
            return _as_written(value.layers[-1])
    return value


def _marked(value: Map, key: Any) -> Any:  # noqa: ANN401 - plain YAML keys
    marks = ("=" if key in value.constant else "") + ("~" if key in value.overriding else "")
    return f"{marks}{plain_key(key)}" if marks else plain_key(key)
