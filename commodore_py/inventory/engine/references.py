r"""Parse `${references}` in strings (pure).

The grammar is reclass-rs's: `\${` and `\$[` are escapes, a doubled backslash counts as one only
right before a reference or its end, and a reference that is not closed is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .values import Part, Reference, Token

if TYPE_CHECKING:
    from .values import Value

_PLAIN = re.compile(r"[^${}\\]+")
_OPENERS = ("${", "\\${", "\\\\${", "\\$[")
_CLOSERS = ("}", "\\}", "\\\\}")
# As written, and the meaning; longest first.
_ESCAPES_OUTSIDE = (("\\${", "${"), ("\\$[", "$["))
_ESCAPES_INSIDE = (("\\${", "${"), ("\\}", "}"), ("\\$[", "$["))


DEEPEST = 64
"""The depth at which reclass-rs reports a loop."""


class _Unparsable(Exception):
    """Not a valid reference."""


@lru_cache(maxsize=1 << 16)
def parse(text: str) -> Value:
    """A token, or the string itself if it has no references."""
    if "${" not in text and "$[" not in text:
        return text
    try:
        parts = _parts_of(text)
    except _Unparsable as error:
        missing = ": a } is missing" if text.count("${") > text.count("}") else ""
        why = f"{text!r} is not a valid reference{missing}"
        return Token(text, (), problem=str(error) or why)
    if parts == (text,):
        return text
    # A string with escapes only is kept as written: inside a mapping or list that is part of
    # another string, the escapes stay.
    return Token(text, parts)


def _parts_of(text: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    while at < len(text):
        if text.startswith("${", at):
            reference, at = _reference(text, at)
            parts.append(reference)
        else:
            literal, at = _text_outside(text, at)
            parts.append(literal)
    return _coalesced(parts)


def _reference(text: str, at: int) -> tuple[Reference, int]:
    """The reference that begins here, and where it ends; those inside come before those around."""
    at += 2
    around: list[list[Part]] = []
    parts: list[Part] = []
    while at < len(text):
        if text[at] == "}":
            if not parts:
                break
            reference, at = Reference(_coalesced(parts)), at + 1
            if not around:
                return reference, at
            parts = around.pop()
            parts.append(reference)
        elif text.startswith("${", at):
            around.append(parts)
            parts, at = [], at + 2
            if len(around) > DEEPEST:
                raise _Unparsable(f"references are nested deeper than {DEEPEST} levels")
        else:
            literal, at = _text_inside(text, at)
            parts.append(literal)
    raise _Unparsable


def _text_outside(text: str, at: int) -> tuple[str, int]:
    escaped = _escaped(text, at, _ESCAPES_OUTSIDE)
    if escaped is not None:
        return escaped
    start = at
    while at < len(text) and not text.startswith(_OPENERS, at):
        match = _PLAIN.match(text, at)
        at = match.end() if match else at + 1
    if at == start:
        raise _Unparsable
    return text[start:at], at


def _text_inside(text: str, at: int) -> tuple[str, int]:
    escaped = _escaped(text, at, _ESCAPES_INSIDE)
    if escaped is not None:
        return escaped
    if text.startswith(_OPENERS, at) or text.startswith(_CLOSERS, at):
        raise _Unparsable
    match = _PLAIN.match(text, at)
    end = match.end() if match else at + 1
    return text[at:end], end


def _escaped(text: str, at: int, escapes: tuple[tuple[str, str], ...]) -> tuple[str, int] | None:
    if text.startswith("\\\\", at) and text.startswith(("${", "}"), at + 2):
        return "\\", at + 2
    for written, meant in escapes:
        if text.startswith(written, at):
            return meant, at + len(written)
    return None


def _coalesced(parts: list[Part]) -> tuple[Part, ...]:
    merged: list[Part] = []
    for part in parts:
        if merged and isinstance(part, str) and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)
