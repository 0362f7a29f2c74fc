"""Strings of YAML as PyYAML writes them: plain, quoted or as a block, and where lines end."""

from __future__ import annotations

import io
import math
import re
from functools import lru_cache
from typing import Any, Literal

import yaml

Multiline = Literal["literal", "folded", "double-quotes", "plain"]

WIDTH = 80
SIMPLE_KEY = 128 - len("!!str")
"""Keys that are shorter need no question mark: PyYAML counts their tag."""
_REMEMBERED = 1 << 15  # most strings of a catalog come again and again

# No indicator where one would be read: at the start, after a blank (#), before a blank (:).
_PLAIN = re.compile(
    r"""(?!---|\.\.\.)
    (?:[$()+./0-9;<=A-Z\\^_a-z~]|[-?:](?=[!-~]))
    (?:[!-9;-~]++|:(?=[!-~])|\ (?=[ !"$-~]))*+""",
    re.VERBOSE,
)
# What a reader of YAML 1.1 takes for something else than text.
_LOOKS_TYPED = re.compile(
    r"""
      [yY]es|YES|[nN]o|NO|[tT]rue|TRUE|[fF]alse|FALSE|[oO]n|ON|[oO]ff|OFF
    | ~|[nN]ull|NULL
    | <<|=
    | [-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*)
    | [-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+][0-9]+)?|(?::[0-5]?[0-9])+\.[0-9_]*)
    | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
    | [-+]?\.(?:[iI]nf|INF)|\.(?:nan|NaN|NAN)
    | [0-9]{4}-[0-9]{2}-[0-9]{2}
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} (?:[Tt]|[ \t]+) [0-9]{1,2}:[0-9]{2}:[0-9]{2}
      (?:\.[0-9]*)? (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?
    """,
    re.VERBOSE,
)
_TYPED_START = frozenset("+-.0123456789<=FNOTYfnoty~")
_NO_SINGLE_QUOTES = re.compile(r"[^\n -~]| \n|\n ")
_NO_BLOCK = re.compile(r"[^\n -~]| \n| \Z")
_LINE_END = re.compile("[\n\x85\u2028\u2029]")
_BREAKS = re.compile(r"(\n+)")
_LONE_BLANK = re.compile(r"(?<=[^ ]) (?=[^ ])")


@lru_cache(maxsize=_REMEMBERED)
def short_form(text: str) -> str:
    """A string as it is written where there is room for it; "" if that depends on the place."""
    return "" if "\n" in text else written(text, "plain", 0, "", math.inf)


@lru_cache(maxsize=_REMEMBERED)
def simple_key(text: str) -> str:
    """A string as a key, with its colon; "" if it takes a question mark."""
    if not text or len(text) >= SIMPLE_KEY or _LINE_END.search(text):
        return ""
    return f"{short_form(text)}: "


def written(text: str, multiline: Multiline, column: int, pad: str, width: float = WIDTH) -> str:
    """A text that begins in a column; later lines are indented by a pad."""
    if "\n" in text and multiline != "plain":
        if _NO_BLOCK.search(text):
            return _double_quoted(text, column, pad, width)
        return literal(text, pad)
    if _may_be_plain(text):
        return _folded(text, column, pad, width)
    if _NO_SINGLE_QUOTES.search(text):
        return _double_quoted(text, column, pad, width)
    return _single_quoted(text, column, pad, width)


def _may_be_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and not (
        text[0] in _TYPED_START and _LOOKS_TYPED.fullmatch(text)
    )


def _folded(text: str, column: int, pad: str, width: float) -> str:
    """A line, broken at lone blanks that lie beyond the width."""
    if column + len(text) <= width:
        return text
    lines = []
    start = 0
    while blank := _LONE_BLANK.search(text, start + max(0, WIDTH + 1 - column)):
        lines.append(text[start : blank.start()])
        start = blank.end()
        column = len(pad)
    if not lines:
        return text
    lines.append(text[start:])
    return f"\n{pad}".join(lines)


def _single_quoted(text: str, column: int, pad: str, width: float) -> str:
    first, *more = _BREAKS.split(text.replace("'", "''"))
    out = ["'", _folded(first, column + 1, pad, width)]
    for breaks, line in zip(more[::2], more[1::2], strict=True):
        # One line break alone would be read as a blank.
        out += ["\n", breaks, pad, _folded(line, len(pad), pad, width)]
    return "".join([*out, "'"])


def _double_quoted(text: str, column: int, pad: str, width: float) -> str:
    """A text in double quotes, with escapes: these are rare, and left to PyYAML."""
    out = io.StringIO()
    emitter: Any = yaml.emitter.Emitter(out)
    emitter.column, emitter.indent, emitter.best_width = column, len(pad), width
    emitter.write_double_quoted(text)
    return out.getvalue()


def _hints(text: str) -> str:
    indent = "2" if text[0] in " \n" else ""
    if text[-1] != "\n":
        return f"{indent}-"
    return f"{indent}+" if text[-2:] in {"\n", "\n\n"} else indent


def literal(text: str, pad: str) -> str:
    """A block that keeps its lines; without the break that ends the last one."""
    lines = f"\n{text}" if text[-1] == "\n" else f"\n{text}\n"
    # No line ends with a blank, so that a pad before a break is that of an empty line.
    padded = lines.replace("\n", f"\n{pad}").replace(f"{pad}\n", "\n")
    return f"|{_hints(text)}{padded[: -len(pad) - 1]}"
