"""An explanation as plain values and words, for people and for programs (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.inventory.engine.values import (
    Map,
    Sequence,
    Stack,
    Token,
    Unresolved,
    plain,
    plain_key,
)
from commodore_py.inventory.paths import dotted

from .steps import ABSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.inventory.engine.values import Value

    from .explanation import Explanation
    from .places import Place
    from .steps import Lookup, Step

MISSING: Any = ABSENT
"""Stands for no value at all, in `before` and `after`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference and its value."""

    written: str
    path: str
    value: Any
    default: bool = False
    problem: str = ""
    inner: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What one layer did to the value."""

    action: str
    """set, replace, merge, append, override, null, remove or fail"""
    place: Place
    chain: tuple[str, ...]
    at: str
    key: str
    """The key as written, with its marks."""
    written: Any
    before: Any
    after: Any
    mark: str = ""
    """The key with a `~` that threw away what there was."""
    constant: bool = False
    problem: str = ""
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """How a parameter got its value; what it looked up has stories of its own."""

    target: str
    path: str
    value: Any
    problem: str
    events: tuple[Event, ...]
    looked_up: Mapping[str, Story] = field(default_factory=dict)


def told(explanation: Explanation) -> Story:
    """The explanation in plain values."""
    return Story(
        explanation.target,
        dotted(explanation.path),
        _plain(explanation.value),
        _problem(explanation.value),
        tuple(
            _event(step, explanation.path, references)
            for step, references in zip(explanation.steps, explanation.references, strict=True)
        ),
        {dotted(path): told(below) for path, below in explanation.looked_up.items()},
    )


def as_written(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    """A value as it stands in a file: references and marks are kept."""
    match value:
        case Token():
            return value.text
        case Map():
            return {_marked(value, key): as_written(child) for key, child in value.items.items()}
        case Sequence():
            return [as_written(item) for item in value.items]
        case list():
            return [as_written(item) for item in value]
        case Stack():
            return as_written(value.layers[-1])
    return value


def _event(step: Step, path: tuple[object, ...], references: tuple[Lookup, ...]) -> Event:
    return Event(
        _action(step),
        step.place,
        step.layer.chain,
        dotted(step.at),
        _key(step, path),
        MISSING if step.value is ABSENT else as_written(step.value),
        _plain(step.before),
        _plain(step.after),
        mark=step.mark,
        constant=step.constant,
        problem=str(step.error) if step.error is not None else _problem(step.after),
        references=tuple(_reference(lookup) for lookup in references),
    )


def _action(step: Step) -> str:  # noqa: PLR0911 - a line per kind of step
    before, after = step.before, step.after
    if step.error is not None or type(after) is Unresolved:
        return "fail"
    if step.value is ABSENT:
        return "remove"
    if before is ABSENT:
        return "set"
    if after is None:
        return "null"
    if step.resets:
        return "override"
    if type(before) is Map and type(after) is Map:
        return "merge"
    if _is_list(before) and _is_list(after):
        return "append"
    return "replace"


def _is_list(value: Value) -> bool:
    return type(value) in (list, Sequence)


def _key(step: Step, path: tuple[object, ...]) -> str:
    key = step.key.value if step.key is not None else ""
    return str(key) or (dotted(path[-1:]) if path else "")


def _marked(value: Map, key: Any) -> Any:  # noqa: ANN401 - plain YAML keys
    marks = ("=" if key in value.constant else "") + ("~" if key in value.overriding else "")
    return f"{marks}{plain_key(key)}" if marks else plain_key(key)


def _reference(lookup: Lookup) -> Reference:
    return Reference(
        lookup.written,
        dotted(lookup.path),
        _plain(lookup.value),
        default=lookup.default,
        problem=_problem(lookup.value),
        inner=tuple(_reference(inner) for inner in lookup.inner),
    )


def _plain(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    if value is ABSENT or type(value) is Unresolved:
        return MISSING
    return _without_gaps(plain(value))


def _without_gaps(value: Any) -> Any:  # noqa: ANN401 - plain YAML values
    """Parts that cannot be resolved, in words: the rest is worth showing."""
    if isinstance(value, dict):
        return {key: _without_gaps(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_without_gaps(item) for item in value]
    return f"<cannot be resolved: {value.error}>" if isinstance(value, Unresolved) else value


def _problem(value: Value) -> str:
    return str(value.error) if type(value) is Unresolved else ""
