"""Class names that hold references, before anybody knows what these are (pure)."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
# Ids and facts name one file or folder; other parameters may hold whole class names.
_ONE_PART = ("cluster:", "facts:")
_PARTS = {"\1": "[^.]+", "\2": ".+"}


def pattern_of(written: str) -> re.Pattern[str]:
    """Every class name that a written one may turn out to be."""
    name = _opened(written)
    return re.compile("".join(_PARTS.get(letter, re.escape(letter)) for letter in name))


def literal_length(written: str) -> int:
    """How much of a class name does not depend on references."""
    return sum(letter not in _PARTS for letter in _opened(written))


def _opened(written: str) -> str:
    """The name with a mark in place of each reference; references in references are one."""
    name, more = _REFERENCE.subn(_mark, written)
    while more:
        name, more = _REFERENCE.subn(_mark, name)
    return name


def _mark(reference: re.Match[str]) -> str:
    return "\1" if reference[1].startswith(_ONE_PART) else "\2"
