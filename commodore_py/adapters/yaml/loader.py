"""YAML read by libyaml with the rules of YAML 1.1, as PyYAML has them; errors have their place."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from .bounds import (
    MOST_DIGITS,
    BoundedLevels,
    Refused,
    may_have_aliases,
    refuse_expansion,
)
from .error import YamlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    _AnyLoader: TypeAlias = type[yaml.SafeLoader | yaml.CSafeLoader]

Read = TypeVar("Read")

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

_STR, _SEQ, _MAP, *_SIMPLE = (
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map", "null", "bool", "int", "float")
)
_KEYS = frozenset((_STR, *_SIMPLE))
_RESOLVER, _CONSTRUCTOR = Resolver(), SafeConstructor()
_SHORT = 200
"""The length of scalars that are worth remembering."""
_SHORT_NUMBER = 1_000
_TOO_LARGE = 10**MOST_DIGITS


class Bounded(BoundedLevels):
    """Our limits, and a lone `=` as Kapitan reads it; for a safe loader."""

    def __init__(self, text: bytes | str) -> None:
        super().__init__(text)  # type: ignore[call-arg] # a loader comes next
        self.may_have_aliases = may_have_aliases(text)

    def construct_document(self, node: yaml.Node) -> Any:
        """The value of a document."""
        if self.may_have_aliases:
            refuse_expansion(node)
        return super().construct_document(node)  # type: ignore[misc] # as above


class Loader(Bounded, yaml.CSafeLoader):
    """PyYAML's safe loader on top of libyaml.

    Scalars come again and again: their tags and values are remembered. Whatever is not a string,
    a number, a boolean, null, a list or a mapping of these is left to PyYAML's constructors.
    """

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        if kind is ScalarNode:
            return _tag_of(value) if implicit[0] else _STR
        return _MAP if kind is MappingNode else _SEQ

    def construct_document(self, node: yaml.Node) -> Any:
        """The value of a document."""
        if not self.may_have_aliases:  # aliases share the value that they refer to
            # PyYAML constructs deep values level by level.
            with contextlib.suppress(RecursionError):
                return self._construct(node)
            self.recursive_objects.clear()
        return super().construct_document(node)

    def _construct(self, node: yaml.Node) -> Any:
        tag = node.tag
        if type(node) is ScalarNode:
            if tag == _STR:
                return node.value
            if tag in _SIMPLE and len(node.value) <= _SHORT:
                return _value_of(tag, node.value)
        elif type(node) is SequenceNode and tag == _SEQ:
            return [self._construct(item) for item in node.value]
        elif (
            type(node) is MappingNode
            and tag == _MAP
            and all(key.tag in _KEYS for key, _ in node.value)
        ):
            return {self._construct(key): self._construct(item) for key, item in node.value}
        return self.construct_object(node, deep=True)


@lru_cache(maxsize=1 << 16)
def _tag_of(plain: str) -> str:
    tag: str = _RESOLVER.resolve(ScalarNode, plain, (True, False))  # type: ignore[no-untyped-call] # PyYAML's
    return tag


@lru_cache(maxsize=1 << 16)
def _value_of(tag: str, text: str) -> Any:
    return SafeConstructor.yaml_constructors[tag](_CONSTRUCTOR, ScalarNode(tag, text))


def adapt(loader: type[yaml.SafeLoader | yaml.CSafeLoader]) -> None:
    """Take a lone `=` for a string, as Kapitan does everywhere: some charts have it in lists.

    And refuse integers that Python would not turn into strings again.
    """
    loader.add_constructor("tag:yaml.org,2002:value", construct_text)
    loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def construct_text(loader: Any, node: ScalarNode) -> Any:
    """A scalar as it is written."""
    return loader.construct_scalar(node)


def _construct_int(loader: Any, node: ScalarNode) -> int:
    length = len(node.value)
    if length <= MOST_DIGITS:
        number: int = loader.construct_yaml_int(node)
        if length < _SHORT_NUMBER or abs(number) < _TOO_LARGE:
            return number
    raise Refused.at(f"an integer of more than {MOST_DIGITS:,} digits", node.start_mark)


# libyaml reads these otherwise.
_PECULIAR = re.compile(r"(?:^|[\s,:?\[{-])!(?=\s|\Z)|\ufeff", re.MULTILINE)
_BOM = "\ufeff".encode()
_TAB = "a tab indents this line, where YAML takes spaces only"

adapt(Loader)


class _LoaderInPython(Bounded, yaml.SafeLoader):
    """PyYAML's own parser, which Kapitan reads with."""


adapt(_LoaderInPython)


def load(text: bytes | str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    return _read(lambda loader: yaml.load(text, loader), text, name)  # noqa: S506 - safe ones


def load_all(text: bytes | str, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    return _read(lambda loader: list(yaml.load_all(text, loader)), text, name)


def _read(call: Callable[[_AnyLoader], Read], text: bytes | str, name: str) -> Read:
    """Read with libyaml what it reads as Kapitan does, which is nearly everything.

    PyYAML's parser in Python takes many times as long.
    """
    first: Exception | None = None
    if not _is_peculiar(text):
        try:
            return call(Loader)
        except Refused as error:
            raise problem_in(error, name, text) from error
        except FAILURES as error:
            first = error
    try:
        return call(_LoaderInPython)
    except FAILURES as error:
        raise problem_in(first or error, name, text) from error


def _is_peculiar(text: bytes | str) -> bool:
    """Return whether libyaml may read it otherwise: an empty tag, an inner BOM."""
    if isinstance(text, bytes):
        if b"!" not in text and _BOM not in text:
            return False
        text = text.decode(errors="replace")
    return _PECULIAR.search(text) is not None


def line_at(text: bytes | str, path: Sequence[object]) -> int:
    """The line of a value of a readable text, by document number, then keys and indices.

    As far as the path can be followed: a key that is not a string may be written in many ways.
    """
    number, *rest = path
    node = list(yaml.compose_all(text, Loader=Loader))[int(str(number))]
    line = node.start_mark.line
    for step in rest:
        children = {
            str(key.value) if isinstance(key, yaml.Node) else str(key): (key, value)
            for key, value in _children(node)
        }
        if str(step) not in children:
            break
        key, node = children[str(step)]
        line = (key if isinstance(key, yaml.Node) else node).start_mark.line
    return int(line) + 1


def _children(node: yaml.Node) -> Iterable[tuple[yaml.Node | int, yaml.Node]]:
    if isinstance(node, MappingNode):
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        return pairs
    return enumerate(node.value if isinstance(node, SequenceNode) else [])


def problem_in(error: Exception, name: str, text: bytes | str = b"") -> YamlError:
    """The error that PyYAML reports, with its place; `text` is what was read."""
    if isinstance(error, yaml.reader.ReaderError) and isinstance(text, bytes):
        line = text.count(b"\n", 0, int(error.position)) + 1
        hint = "save the file as UTF-8" if "UTF-8" in str(error.reason) else ""
        return YamlError.at(f"not valid YAML: {_reason(error)}", name, line, hint=hint)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    message = f"not valid YAML: {_reason(error, text)}"
    if isinstance(error, Refused):
        message = str(error.problem)
    if mark is None:
        return YamlError(message, where=name)
    snippet = mark.get_snippet() if mark.buffer is not None else None
    return YamlError.at(message, name, mark.line + 1, mark.column + 1, snippet=snippet or "")


def _reason(error: Exception, text: bytes | str = b"") -> str:
    if isinstance(error, yaml.reader.ReaderError):
        return f"{error.reason}, at byte {int(error.position) + 1}"
    problem = getattr(error, "problem", None)
    if problem:
        return (
            _TAB if "cannot start any token" in problem and _at_tab(error, text) else str(problem)
        )
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, yaml.YAMLError | ValueError):
        return str(error)
    return "a value does not fit its tag"


def _at_tab(error: Any, text: bytes | str) -> bool:
    """Return whether a tab is where the error is."""
    lines = (text.decode(errors="replace") if isinstance(text, bytes) else text).split("\n")
    mark = error.problem_mark
    line: str = lines[mark.line] if mark.line < len(lines) else ""
    return line[mark.column :].startswith("\t")
