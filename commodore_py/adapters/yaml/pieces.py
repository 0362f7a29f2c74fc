"""Values as lines of YAML that fit into a text that a person wrote (pure).

What YAML 1.1 and 1.2 read differently is quoted; lines are not folded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .emitter import Unwritable, constant
from .scalars import literal, on_one_line

_STEP = 2
_LONGEST_KEY = 1_000
"""A key in one line: YAML allows 1,024 characters."""
# Numbers of YAML 1.2 that are text in YAML 1.1.
_NUMBER_1_2 = re.compile(
    r"[-+]?(?:0[xob][0-9a-fA-F_]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
)
_WORDS = frozenset({"y", "Y", "n", "N"})
"""Booleans of YAML 1.1 that PyYAML takes for text."""
_NOT_IN_BRACKETS = re.compile(r"[,\[\]{}:?#]|\s")
_NO_LITERAL = re.compile(
    r"[^\n -~\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]| \n| \Z|\n\n\Z"
)


class Layout(NamedTuple):
    """How far a file indents."""

    step: int = _STEP
    """A mapping below its key."""
    list_step: int = _STEP
    """A list below its key: in most files two columns, in others none."""
    blocks_of_text: bool = True
    """Whether text of several lines may stand as it is: not where the last line has no end."""


def block(value: dict[object, object] | list[object], indent: int, layout: Layout) -> list[str]:
    """The lines of a mapping or list that is not empty."""
    pad = " " * indent
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lines += _under(f"{pad}{head(key)}", item, indent, layout)
        return lines
    for item in value:
        if isinstance(item, dict | list) and item:
            first, *others = block(item, indent + _STEP, layout)
            lines += [f"{pad}- {first.lstrip()}", *others]
        else:
            lines += _under(f"{pad}-", item, indent, layout._replace(step=_STEP, list_step=_STEP))
    return lines


def lines_below(value: object, indent: int, layout: Layout) -> list[str]:
    """Render what stands behind the colon of a key at an indent, and below it."""
    return _under("", value, indent, layout)


def _under(lead: str, value: object, indent: int, layout: Layout) -> list[str]:
    if isinstance(value, dict) and value:
        return [lead, *block(value, indent + layout.step, layout)]
    if isinstance(value, list) and value:
        return [lead, *block(value, indent + layout.list_step, layout)]
    if isinstance(value, str) and _may_be_literal(value, layout):
        return f"{lead} {literal(value, ' ' * (indent + layout.step))}".split("\n")
    return [f"{lead} {inline(value)}"]


def _may_be_literal(text: str, layout: Layout) -> bool:
    """Return whether a text of several lines may be a block that keeps them."""
    return (
        layout.blocks_of_text
        and "\n" in text.rstrip("\n")
        and not _NO_LITERAL.search(text)
        and (layout.step == _STEP or text[0] not in " \n")
    )


def head(key: object) -> str:
    """A key with its colon."""
    text = inline(key)
    if len(text) > _LONGEST_KEY:
        raise Unwritable(f"a key of {len(text)} characters cannot be written on one line")
    return f"{text}:"


def inline(value: object, *, in_brackets: bool = False) -> str:
    """A value on one line."""
    match value:
        case str():
            return _text(value, in_brackets=in_brackets)
        case list():
            return f"[{', '.join(inline(item, in_brackets=True) for item in value)}]"
        case dict():
            return f"{{{', '.join(pair(key, item) for key, item in value.items())}}}"
    return constant(value)


def pair(key: object, value: object) -> str:
    """A key and its value, in brackets."""
    return f"{inline(key, in_brackets=True)}: {inline(value, in_brackets=True)}"


def _text(text: str, *, in_brackets: bool) -> str:
    # Letters of other languages are printed as they are: only what cannot be seen is escaped.
    shape = "".join("x" if _is_letter(character) else character for character in text)
    form = on_one_line(shape)
    if form[0] == '"' or "\n" in text:
        escaped = (
            character if _is_letter(character) else on_one_line(f"\x07{character}")[3:-1]
            for character in text
        )
        return f'"{"".join(escaped)}"'
    typed = _NUMBER_1_2.fullmatch(text) or text in _WORDS
    if form[0] == "'" or typed or (in_brackets and _NOT_IN_BRACKETS.search(text)):
        return "'" + text.replace("'", "''") + "'"
    return text


def _is_letter(character: str) -> bool:
    return character > "\xa0" and character.isprintable()
