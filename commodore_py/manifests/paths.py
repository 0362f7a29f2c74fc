"""Paths of fields: how they are written, and patterns that match them (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .merge_keys import Label


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list: what it is known by, and its place there."""

    index: int
    label: Label = ()
    alike: bool = False
    """Whether its place says nothing: an item that comes or goes is its own content."""

    def __str__(self) -> str:
        if self.label:
            return f"[{','.join(f'{name}={value}' for name, value in self.label)}]"
        return "[]" if self.alike else f"[{self.index}]"


FieldPath: TypeAlias = tuple[object, ...]
"""Keys from the top of an object down, an `Item` for each list on the way."""

# A word of a pattern: an item of a list, a key in quotes, or a key.
_WORD = re.compile(r'\[([^\]]*)\]|"((?:[^"\\]|\\.)*)"|([^.\[\]"]+)')
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")
ANY_DEPTH = "**"
_ITEM = "["


class BadPattern(ValueError):
    """A text that is no pattern of paths."""


def written(path: Iterable[object]) -> str:
    """The path as people write it."""
    text = ""
    for step in path:
        if isinstance(step, Item):
            text += str(step)
        else:
            text += f".{_key(str(step))}" if text else _key(str(step))
    return text


def generalised(path: FieldPath) -> str:
    """The path with every item of a list alike."""
    return written(Item(0, (("*", ""),)) if isinstance(s, Item) else s for s in path).replace(
        "[*=]", "[*]"
    )


def names(path: FieldPath) -> tuple[str, ...]:
    """The keys of a path alone."""
    return tuple(str(step) for step in path if not isinstance(step, Item))


def covers(pattern: str, path: FieldPath) -> bool:
    """Whether a pattern matches a path, or something above it."""
    return _covers(parse_path(pattern), tuple(_subject(step) for step in path))


@lru_cache(maxsize=1024)
def parse_path(pattern: str) -> tuple[str, ...]:
    """The words of a pattern; those for items of lists begin with a bracket."""
    words, at = [], 0
    while at < len(pattern):
        if at and pattern[at] == ".":
            at += 1
        elif at and pattern[at] != _ITEM:
            raise BadPattern(pattern)
        found = _WORD.match(pattern, at)
        if found is None:
            raise BadPattern(pattern)
        item, quoted, plain = found.groups()
        if item is not None:
            words.append(_ITEM + item)
        else:
            words.append(plain if quoted is None else quoted)
        at = found.end()
    if not words:
        raise BadPattern(pattern)
    return tuple(words)


@lru_cache(maxsize=4096)
def _covers(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not pattern:
        return True
    word, *rest = pattern
    if word == ANY_DEPTH:
        return any(_covers(tuple(rest), path[start:]) for start in range(len(path) + 1))
    return bool(path) and _matches(word, path[0]) and _covers(tuple(rest), path[1:])


def _matches(word: str, step: str) -> bool:
    # Brackets would be sets of characters.
    return word.startswith(_ITEM) == step.startswith(_ITEM) and fnmatchcase(
        step.removeprefix(_ITEM), word.removeprefix(_ITEM).replace("[", "[[]")
    )


def _subject(step: object) -> str:
    return f"{_ITEM}{str(step)[1:-1]}" if isinstance(step, Item) else str(step)


def _key(name: str) -> str:
    if _PLAIN_KEY.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def steps_of(path: FieldPath) -> Iterator[str]:
    """The words that a pattern for exactly this path would have."""
    return map(_subject, path)
