"""Limits of the YAML that is read: texts of others must not crash the parser or fill the memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import yaml
from yaml import MappingNode, ScalarNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Node

MOST_LEVELS = 1_000
"""How deep values may be nested: libyaml's composer would use up the stack."""
_MOST_BRACKETS = MOST_LEVELS // 2  # in a list, a bracket may bring a mapping of one pair, too
MOST_DIGITS = 4_300
"""Digits of an integer, the number that Python itself turns into a string."""
MOST_ALIASED = 2_000_000
"""Values that aliases may add to a document; 100 characters of a string count as one more."""

_CHARACTERS = 100
# In a block, two collections at most begin in one column: a list may begin where its key does.
_DEEP_LINE = b" " * (MOST_LEVELS // 2)
# What may stand before the first value of a line; a null byte is half a character of UTF-16.
_INDENTATION = bytes.maketrans(b" \t-?:\0", b"      ")

_BRACKETS = re.compile(rb"[\[{][\[{ \t\0]*")
_BEFORE_VALUES = b"\n\r-?:,[{"
_LOOK_BACK = 200
_ASCII = 0x80

# How many values a node stands for, and how many levels.
_Size: TypeAlias = tuple[int, int]


class Refused(yaml.MarkedYAMLError):
    """A text that is YAML, but exceeds a limit."""

    @classmethod
    def at(cls, problem: str, mark: object) -> Refused:
        """The problem, and where it begins."""
        return cls(problem=problem, problem_mark=mark)  # type: ignore[arg-type] # libyaml's marks look like PyYAML's


def may_be_deep(text: bytes | str) -> bool:
    """Whether a text may exceed the levels: quick to find out, and rarely wrong."""
    if len(text) <= MOST_LEVELS:  # each level takes a character
        return False
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS and _may_open_many(data):
        return True
    return _DEEP_LINE in data.translate(_INDENTATION)


def _may_open_many(data: bytes) -> bool:
    """Whether so many brackets may begin a value; most of those in texts cannot."""
    left = _MOST_BRACKETS
    for run in _BRACKETS.finditer(data):
        before = data[max(0, run.start() - _LOOK_BACK) : run.start()].rstrip(b" \t\0")
        if before and before[-1] < _ASCII and before[-1] not in _BEFORE_VALUES:
            # A tag or an anchor comes before its value; it may be longer than what is looked at.
            may_be_tag = b"!" in before or b"&" in before or len(before.split(None, 1)) == 1
            if not may_be_tag:
                continue
        left -= len(run[0].translate(None, b" \t\0"))
        if left < 0:
            return True
    return False


def refuse_deep(events: Iterator[yaml.Event]) -> None:
    """Raise `Refused` where a text exceeds the levels; errors of syntax are left to the parser."""
    level = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                problem = f"nested deeper than {MOST_LEVELS:,} levels"
                raise Refused.at(problem, event.start_mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def may_have_aliases(text: bytes | str) -> bool:
    """Whether a text may have aliases."""
    return ("*" in text and "&" in text) if isinstance(text, str) else b"*" in text and b"&" in text


def refuse_expansion(root: Node) -> None:
    """Raise `Refused` if aliases make a document larger or deeper than the limits, or endless."""
    sizes: dict[int, _Size] = {}
    written = 0
    # Each collection comes twice: before its parts, and after them.
    waiting: list[tuple[Node, bool]] = [(root, False)]
    inside: set[int] = set()
    while waiting:
        node, done = waiting.pop()
        if done:
            inside.remove(id(node))
            size, levels = _size(node, sizes)
            sizes[id(node)] = size, levels
            if size - written > MOST_ALIASED:
                problem = f"aliases add more than {MOST_ALIASED:,} values to it"
                raise Refused.at(problem, node.start_mark)
            if levels > MOST_LEVELS:
                problem = f"nested deeper than {MOST_LEVELS:,} levels by aliases"
                raise Refused.at(problem, node.start_mark)
        elif id(node) in inside:
            raise Refused.at("an alias refers to a value that contains it", node.start_mark)
        elif id(node) not in sizes:
            written += _own(node)
            if isinstance(node, ScalarNode):
                sizes[id(node)] = _own(node), 0
                continue
            inside.add(id(node))
            waiting.append((node, True))
            waiting += [(part, False) for part in _parts(node)]


def _size(node: Node, sizes: dict[int, _Size]) -> _Size:
    parts = [sizes[id(part)] for part in _parts(node)]
    return 1 + sum(size for size, _ in parts), 1 + max((levels for _, levels in parts), default=0)


def _own(node: Node) -> int:
    return 1 + len(node.value) // _CHARACTERS if isinstance(node, ScalarNode) else 1


def _parts(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [part for pair in node.value for part in pair]
    found: list[Node] = node.value
    return found
