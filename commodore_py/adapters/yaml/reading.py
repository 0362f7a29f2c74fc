"""YAML read by PyYAML on top of libyaml, with places for messages."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import yaml

from .bounds import (
    MOST_DIGITS,
    Refused,
    may_be_deep,
    may_have_aliases,
    refuse_deep,
    refuse_expansion,
)
from .error import YamlError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LIBYAML: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SHORT = 1_000
_TOO_LARGE = 10**MOST_DIGITS


class Bounded:
    """What every loader has in common: the limits, and a lone `=` as Kapitan reads it."""

    def __init__(self, text: bytes | str) -> None:
        if may_be_deep(text):
            refuse_deep(events_of(text))
        super().__init__(text)  # type: ignore[call-arg] # a loader comes next
        self._may_have_aliases = may_have_aliases(text)

    def construct_document(self, node: yaml.Node) -> Any:
        """The value of a document."""
        if self._may_have_aliases:
            refuse_expansion(node)
        return super().construct_document(node)  # type: ignore[misc] # as above


class Loader(Bounded, _LIBYAML):  # type: ignore[misc] # chosen at run time
    """The safe loader on top of libyaml, where PyYAML was built with it."""


def adapt(loader: type[yaml.SafeLoader]) -> None:
    """Take a lone `=` for a text, as Kapitan does everywhere: some charts have it in lists.

    And refuse integers that Python would not turn into strings again.
    """
    loader.add_constructor("tag:yaml.org,2002:value", _construct_text)
    loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def _construct_text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
    return loader.construct_scalar(node)


def _construct_int(loader: Any, node: yaml.ScalarNode) -> int:
    length = len(node.value)
    if length <= MOST_DIGITS:
        number: int = loader.construct_yaml_int(node)
        if length < _SHORT or abs(number) < _TOO_LARGE:
            return number
    raise Refused.at(f"an integer of more than {MOST_DIGITS:,} digits", node.start_mark)


adapt(Loader)

# PyYAML lets these through for a date such as 2020-13-45, for a tag that does not fit its value,
# and for nesting without end.
FAILURES = (
    yaml.YAMLError,
    RecursionError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    TypeError,
)


def load(text: bytes | str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506 - a safe loader, the faster one
    except FAILURES as error:
        raise problem_in(error, name) from error


def load_all(text: bytes | str, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    try:
        return list(yaml.load_all(text, Loader=Loader))
    except FAILURES as error:
        raise problem_in(error, name) from error


def lines_of(text: bytes | str, *, name: str) -> dict[tuple[str, ...], int]:
    """The line on which each mapping key of a document stands, by its path of keys."""
    try:
        node = yaml.compose(text, Loader=Loader)
        found: dict[tuple[str, ...], int] = {(): 1}
        _collect_lines(node, (), found)
    except FAILURES as error:
        raise problem_in(error, name) from error
    return found


def events_of(text: bytes | str) -> Iterator[yaml.Event]:
    """The events of a text, as long as it is valid YAML."""
    with contextlib.suppress(yaml.YAMLError, ValueError):
        yield from yaml.parse(text, Loader=_LIBYAML)


def line_at(text: bytes | str, path: Sequence[object]) -> int:
    """The line of a value of a readable text, by document number, then keys and indices.

    As far as the path can be followed: a key that is not a string may be written in many ways.
    """
    number, *rest = path
    node = list(yaml.compose_all(text, Loader=Loader))[int(str(number))]
    line = node.start_mark.line
    for key in rest:
        below = {
            str(name.value) if isinstance(name, yaml.Node) else str(name): (name, value)
            for name, value in _children(node)
        }
        if str(key) not in below:
            break
        name, node = below[str(key)]
        line = (name if isinstance(name, yaml.Node) else node).start_mark.line
    return int(line) + 1


def _children(node: yaml.Node) -> Iterable[tuple[yaml.Node | int, yaml.Node]]:
    return node.value if isinstance(node, yaml.MappingNode) else enumerate(_items(node))


def _items(node: yaml.Node) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _collect_lines(
    node: yaml.Node | None, path: tuple[str, ...], found: dict[tuple[str, ...], int]
) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            found[here] = key.start_mark.line + 1
            _collect_lines(value, here, found)


def problem_in(error: Exception, name: str) -> YamlError:
    """What PyYAML complains about, with its place."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    message = f"not valid YAML: {_reason(error)}"
    if isinstance(error, Refused):
        message = str(error.problem)
    if mark is None:
        return YamlError(message, where=name)
    snippet = mark.get_snippet() if mark.buffer is not None else None
    return YamlError.at(message, name, mark.line + 1, mark.column + 1, snippet=snippet or "")


def _reason(error: Exception) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        return f"{error.reason}, at byte {int(error.position) + 1}"
    problem = getattr(error, "problem", None)
    if problem:
        return str(problem)
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, yaml.YAMLError | ValueError):
        return str(error)
    return "a value does not fit its tag"
