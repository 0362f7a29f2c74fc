"""Parameters that differ between targets by scalars alone: resolved for one, filled in for others.

A component with `${_instance}` in its parameters has them for every instance of the cluster. Where
layers are the same, the scalars that references become decide nothing else: how layers merge
depends on kinds of values, never on what a text says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .values import Reference, ResolveError, Token, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

Plan: TypeAlias = "int | tuple[tuple[Any, Plan], ...]"
"""The number of a scalar; or what is different in a mapping or list, by key or index."""


class Scalar(NamedTuple):
    """What a token has become."""

    value: Any
    token: Token


class Marks:
    """The scalars of a parameter's own tokens, while it is resolved."""

    def __init__(self) -> None:
        self.scalars: list[Scalar] = []
        self.others = False
        """Whether a token has become something else, or could not be resolved."""

    def value(self, token: Token, resolve: Callable[[Token], Value]) -> Value:
        """The value of a token, marked if it is a scalar."""
        try:
            value = resolve(token)
        except ResolveError:
            self.others = True
            raise
        if not is_scalar(value):
            self.others = True
            return value
        self.scalars.append(Scalar(value, token))
        return self.scalars[-1]


def is_scalar(value: Value) -> bool:
    """Whether a value is merged as texts are; null is not."""
    return type(value) in (str, int, float, bool)


class Template:
    """A resolved parameter, with places for its scalars."""

    def __init__(self, value: Any, plan: Plan, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self._plan = plan
        # What was filled in last: the next is a copy of it, with other scalars where those are
        # different. Most are the same for every target.
        self._filled = value
        self._scalars: Sequence[Any] = ()
        self._varying: set[int] = set()
        self._places = plan

    def filled(self, scalars: Sequence[Any]) -> Any:
        """The parameter with these scalars; what has none of them is shared."""
        pairs = enumerate(zip(scalars, self._scalars))  # noqa: B905 - at first there are none
        different = {number for number, (new, last) in pairs if new is not last}
        if not different <= self._varying:
            self._varying |= different
            self._places = _restricted(self._plan, self._varying)
        self._scalars = scalars
        self._filled = _filled(self._places, self._filled, scalars)
        return self._filled


def template_of(value: Any, marks: Marks) -> Template | None:
    """The template of plain values with marked scalars; None if more may differ than these."""
    numbers: dict[int, int] = {}
    plan = _plan(value, numbers)
    if marks.others or plan is None:
        return None
    for scalar in marks.scalars:
        # For another target it may be a mapping: then what is merged over it fails.
        if id(scalar) not in numbers and _is_reference(scalar.token):
            return None
    tokens = {id(scalar): scalar.token for scalar in marks.scalars}
    return Template(value, plan, [tokens[one] for one in numbers])


def _is_reference(token: Token) -> bool:
    return len(token.parts) == 1 and isinstance(token.parts[0], Reference)


def _plan(value: Any, numbers: dict[int, int]) -> Plan | None:
    kind = type(value)
    if kind is Scalar:
        return numbers.setdefault(id(value), len(numbers))
    if kind is not dict and kind is not list:
        return None
    items: Iterable[tuple[Any, Any]] = value.items() if kind is dict else enumerate(value)
    places = [(key, plan) for key, below in items if (plan := _plan(below, numbers)) is not None]
    return tuple(places) or None


def _restricted(plan: Plan, numbers: Container[int]) -> Plan:
    """The part of a plan that has some of the scalars; empty if none is in it."""
    if isinstance(plan, int):
        return plan if plan in numbers else ()
    parts = ((key, _restricted(below, numbers)) for key, below in plan)
    return tuple((key, part) for key, part in parts if part != ())


def _filled(plan: Plan, base: Any, scalars: Sequence[Any]) -> Any:
    if isinstance(plan, int):
        return scalars[plan]
    made = base.copy()
    for key, below in plan:
        made[key] = _filled(below, base[key], scalars)
    return made
