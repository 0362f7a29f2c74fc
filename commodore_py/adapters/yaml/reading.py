"""YAML read by PyYAML on top of libyaml, with places for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from .error import YamlError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # chosen at run time
    """The safe loader on top of libyaml, where PyYAML was built with it."""


def accept_lone_equals(loader: type[yaml.SafeLoader]) -> None:
    """Take a lone `=` for a text, as Kapitan does everywhere: some charts have it in lists."""
    loader.add_constructor("tag:yaml.org,2002:value", _construct_text)


def _construct_text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
    return loader.construct_scalar(node)


accept_lone_equals(Loader)

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
    except yaml.YAMLError as error:
        raise problem_in(error, name) from error
    found: dict[tuple[str, ...], int] = {(): 1}
    _collect_lines(node, (), found)
    return found


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
    reason = getattr(error, "problem", None) or (
        str(error)
        if isinstance(error, yaml.YAMLError | ValueError | RecursionError)
        else "a value does not fit its tag"
    )
    if mark is None:
        return YamlError(f"not valid YAML: {reason}", where=name)
    snippet = mark.get_snippet() if mark.buffer is not None else None
    return YamlError.at(
        f"not valid YAML: {reason}", name, mark.line + 1, mark.column + 1, snippet=snippet or ""
    )
