"""Reads YAML as programs write most of it, line by line: several times as fast as a whole parser.

Mappings, lists and scalars, each scalar on its line, nothing that needs to know more than the line
and how far to the left it starts. What is anything else is left to those that know all of YAML.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from types import ModuleType

_Level: TypeAlias = tuple[int, Any]
"""A column, and the mapping or list whose parts start there."""

# What is indented deeper is left to those that count levels.
_WIDEST = 200
# What is longer is neither a word nor a number that is worth remembering.
_LONGEST = 200
# Text that starts no other syntax, and holds nothing that ends it: no `: `, no ` #`.
_PLAIN = r"(?:[A-Za-z0-9_/.$(+^\\~;)]|-(?=[!-~]))(?:[!-9;-~]++|:(?=[!-~])| (?=[ !\"$-~]))*+"
_QUOTED = r"'(?:[ -&(-~]++|'')*+'|\"[ !#-[\]-~]*+\""
_VALUE = rf"{_PLAIN}|{_QUOTED}|\{{\}}|\[\]"
_LINE = re.compile(
    rf"^( {{0,{_WIDEST}}}+)((?:- ){{0,{_WIDEST}}}+)"
    rf"(?:([A-Za-z_][A-Za-z0-9_./-]{{0,200}}):(?: ({_VALUE}))?|({_VALUE}))$",
    re.MULTILINE,
)
_START = b"---\n"
_STR = "tag:yaml.org,2002:str"
_SIMPLE = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null"))
# What plain text means is decided by its first character first, in YAML 1.1 as PyYAML has it.
_SURELY_TEXT = re.compile(r"[^yYnNtTfFoO+.0-9<~=-]")
_MAYBE_A_NUMBER = re.compile(r"[+.0-9-]")
_MAYBE_A_WORD = re.compile(r"[A-Za-z]")
_WORDS: dict[str, bool | None] = {
    written: value
    for words, value in ((("yes", "true", "on"), True), (("no", "false", "off"), False))
    for word in words
    for written in (word, word.capitalize(), word.upper())
} | dict.fromkeys(("null", "Null", "NULL"))
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")

UNUSUAL: Final = object()
"""The result if another reader has to read the text."""


class _UnusualError(Exception):
    """A line that is not where it would have to be."""


def load(text: bytes) -> Any:
    """The only document of a text, or `UNUSUAL`."""
    try:
        lines = text.removeprefix(_START).decode("ascii")
    except UnicodeDecodeError:
        return UNUSUAL
    found = _LINE.findall(lines)
    if not found or len(found) != lines.count("\n") + (not lines.endswith("\n")):
        return UNUSUAL
    try:
        return _document(found)
    except _UnusualError:
        return UNUSUAL


def _document(lines: list[tuple[str, str, str, str, str]]) -> Any:
    root: Any = [] if lines[0][1] else {}
    levels: list[_Level] = [(len(lines[0][0]), root)]
    waiting = ""  # a key whose value may be on the lines below
    for spaces, dashes, key, value, item in lines:
        column = len(spaces)
        container = _container(levels, column, waiting, in_list=bool(dashes))
        waiting = ""
        for _ in dashes[2::2]:
            column += 2
            container.append([])
            container = container[-1]
            levels.append((column, container))
        if item:
            if not dashes:  # the line above goes on
                raise _UnusualError
            container.append(_value(item))
            continue
        if dashes:
            container.append({})
            container = container[-1]
            levels.append((column + 2, container))
        if _scalar(key) != key:  # `on` and `null` are not strings
            raise _UnusualError
        container[key] = _value(value) if value else None
        waiting = "" if value else key
    return root


def _container(levels: list[_Level], column: int, waiting: str, *, in_list: bool) -> Any:
    """The mapping or list that a line belongs to; `levels` end with it."""
    top, container = levels[-1]
    if waiting and (column > top or (in_list and column == top)):
        container[waiting] = [] if in_list else {}
        levels.append((column, container[waiting]))
        return container[waiting]
    while top > column or (top == column and not in_list and type(container) is list):
        levels.pop()
        if not levels:
            raise _UnusualError
        top, container = levels[-1]
    if top != column or (type(container) is list) != in_list:
        raise _UnusualError
    return container


def _value(text: str) -> Any:
    match text[0]:
        case "'":
            return text[1:-1].replace("''", "'")
        case '"':
            return text[1:-1]
        case "{":
            return {}
        case "[":
            return []
        case _:
            return _scalar(text) if len(text) <= _LONGEST else _long(text)


def _long(text: str) -> str:
    if _MAYBE_A_NUMBER.match(text):
        raise _UnusualError
    return text


@lru_cache(maxsize=65_536)
def _scalar(text: str) -> Any:
    """What plain text means to YAML 1.1."""
    if _SURELY_TEXT.match(text):
        return text
    if _MAYBE_A_WORD.match(text):
        return _WORDS.get(text, text)
    if _NUMBER.fullmatch(text):
        return int(text)
    return _rare_scalar(text)


def _rare_scalar(text: str) -> Any:
    yaml, resolver, constructor = _pyyaml()
    tag = resolver.resolve(yaml.ScalarNode, text, (True, False))
    if tag == _STR:
        return text
    if tag not in _SIMPLE:
        raise _UnusualError
    try:
        return constructor.construct_object(yaml.ScalarNode(tag, text))
    except ValueError as error:
        raise _UnusualError from error


@cache
def _pyyaml() -> tuple[ModuleType, Any, Any]:
    import yaml  # slow to import

    return yaml, yaml.resolver.Resolver(), yaml.constructor.SafeConstructor()
