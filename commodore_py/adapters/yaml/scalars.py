"""Scalars of YAML as PyYAML writes them: plain, quoted or as a block, and where lines end."""

from __future__ import annotations

import base64
import datetime as dt
import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

Multiline = Literal["literal", "folded", "double-quotes", "plain"]
Timestamp = dt.date | dt.datetime

WIDTH = 80
SIMPLE_KEY = 128
"""Keys whose tag and text are shorter need no question mark."""

_FOREVER = 1 << 60

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
_RUNS = re.compile(r"\n+| +|[^ \n]+")
_ESCAPED = re.compile(r"[^ !#-\[\]-~]")
# Where text in double quotes may go on in a new line: a blank, an escape, what follows one.
_STOPS = re.compile(r"[^!#-\[\]-~]|(?<=[^ !#-\[\]-~]).", re.DOTALL)
_SHORT_ESCAPES = [rf"\{letter}" for letter in "0abtnvfreN_LP"]
_ESCAPES = {
    **{chr(code): f"\\x{code:02X}" for code in range(0x100)},
    **dict(zip("\0\a\b\t\n\v\f\r\x1b\x85\xa0\u2028\u2029", _SHORT_ESCAPES, strict=True)),
    '"': '\\"',
    "\\": r"\\",
}


class _Memo(dict[str, str]):
    """What a function makes of short texts: most texts of a catalog come again and again."""

    LONGEST = 128
    MOST = 1 << 15

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> str:
        made = self._make(text)
        if len(text) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[text] = made
        return made


def _unbroken(text: str) -> str:
    if "\n" in text or len(text) > WIDTH:
        return ""
    return on_one_line(text)


def _simple_key(text: str) -> str:
    if not text or len(text) + len("!!str") >= SIMPLE_KEY or _LINE_END.search(text):
        return ""
    return f"{on_one_line(text)}: "


FORMS = _Memo(_unbroken)
"""A text as it is written where there is room for it; "" if that depends on the place."""
HEADS = _Memo(_simple_key)
"""A text as a key, with its colon; "" if it takes a question mark."""


def on_one_line(text: str) -> str:
    """A text without line breaks, plain or quoted, however long."""
    if _may_be_plain(text):
        return text
    if _NO_SINGLE_QUOTES.search(text):
        return f'"{_ESCAPED.sub(_escape, text)}"'
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def written(text: str, multiline: Multiline, column: int, pad: str) -> str:
    """A text that begins in a column; later lines are indented by a pad."""
    if "\n" in text and multiline != "plain":
        if multiline == "double-quotes" or _NO_BLOCK.search(text):
            return _double_quoted(text, column, pad)
        return literal(text, pad) if multiline == "literal" else _folded_block(text, pad)
    if _may_be_plain(text):
        return folded(text, column, pad)
    if _NO_SINGLE_QUOTES.search(text):
        return _double_quoted(text, column, pad)
    return _single_quoted(text, column, pad)


def number(value: float) -> str:
    """A float as YAML 1.1 reads it back."""
    if value != value:  # noqa: PLR0124 - that is what makes it "not a number"
        return ".nan"
    text = repr(value)
    if text in {"inf", "-inf"}:
        return text.replace("inf", ".inf")
    return text if "." in text else text.replace("e", ".0e")


def timestamp(value: Timestamp, column: int, pad: str) -> str:
    """A date or a moment; one that its own type does not read back carries a tag."""
    text = value.isoformat(" ") if isinstance(value, dt.datetime) else value.isoformat()
    if _LOOKS_TYPED.fullmatch(text):
        return folded(text, column, pad)
    tag = "!!timestamp "
    return f"{tag}{_single_quoted(text, column + len(tag), pad)}"


def timestamp_key(value: Timestamp) -> str:
    """The same as a key."""
    return timestamp(value, -_FOREVER, "")


def binary(value: bytes, pad: str) -> str:
    """Bytes, in base 64."""
    text = base64.encodebytes(value).decode()
    return f"!!binary {literal(text, pad)}" if text else '!!binary ""'


def _may_be_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and not (
        text[0] in _TYPED_START and _LOOKS_TYPED.fullmatch(text)
    )


def folded(text: str, column: int, pad: str) -> str:
    """A line, broken at lone blanks that lie beyond the width."""
    if column + len(text) <= WIDTH:
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


def _single_quoted(text: str, column: int, pad: str) -> str:
    first, *more = _BREAKS.split(text.replace("'", "''"))
    out = ["'", folded(first, column + 1, pad)]
    for breaks, line in zip(more[::2], more[1::2], strict=True):
        # One line break alone would be read as a blank.
        out += ["\n", breaks, pad, folded(line, len(pad), pad)]
    return "".join([*out, "'"])


def _double_quoted(text: str, column: int, pad: str) -> str:
    column += 1
    if column + len(text) <= WIDTH:
        short = _ESCAPED.sub(_escape, text)
        if column + len(short) <= WIDTH:
            return f'"{short}"'
    out = ['"']
    start = 0
    last = len(text) - 1
    for stop in _STOPS.finditer(text):
        end = stop.start()
        character = text[end]
        if character in '"\\' or not " " <= character <= "~":
            escape = _escape(stop)
            out += [text[start:end], escape]
            column += end - start + len(escape)
            start = end + 1
        if 0 < end < last and column + end - start > WIDTH:
            out += [text[start:end], "\\\n", pad]
            column = len(pad)
            start = max(start, end)
            if text[start] == " ":
                out.append("\\")
                column += 1
    return "".join([*out, text[start:], '"'])


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    known = _ESCAPES.get(character)
    if known:
        return known
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 - four digits


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


def _folded_block(text: str, pad: str) -> str:
    indent = column = len(pad)
    indented = text[0] in " \n"
    out = [">", _hints(text), "\n", "" if text[0] == "\n" else pad]
    for run in _RUNS.finditer(text):
        piece = run[0]
        if piece[0] == "\n":
            following = text[run.end() : run.end() + 1]
            if not indented and following not in {"", " "}:
                # One line break alone would be read as a blank.
                out.append("\n")
            out += [piece, pad if following else ""]
            column = indent
            indented = following == " "
        elif piece == " " and column > WIDTH:
            # Nothing on this line yet: PyYAML loses the blank. Only deeper than the width.
            out.append(f"\n{pad}" if column > indent else "")
            column = indent
        else:
            out.append(piece)
            column += len(piece)
    return "".join(out).removesuffix("\n") if text[-1] == "\n" else "".join(out)
