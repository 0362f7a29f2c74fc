"""Reads YAML as programs write it, line by line: several times as fast as a whole parser.

Mappings, lists and scalars, nothing that needs to know more than its own lines and how far to the
left they start. What is anything else is left to those that know all of YAML.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from types import ModuleType

_Level: TypeAlias = tuple[int, Any]
"""A column, and the mapping or list whose parts start there."""
_Line: TypeAlias = tuple[str, str, str, str, str, str, str]
"""Its spaces, dashes and key; a value, a text block and how that is indented; text that goes on."""

# What is indented deeper is left to those that count levels.
_WIDEST = 200
# What is longer is neither a word nor a number that is worth remembering.
_LONGEST = 200
# What goes on for longer than this is put together again too often.
_MOST_FOLDED = 20_000
# What ends no text: no `: `, no ` #`.
_INSIDE = r"(?:[!-9;-~]++|:(?=[!-~])| (?=[ !\"$-~]))*+"
# Text that starts no other syntax; and text that only goes on with the line above.
_PLAIN = rf"(?:[A-Za-z0-9_/.$(+^\\~;<=]|[-?](?=[!-~])){_INSIDE}"
_MORE = rf"(?:[!\"$-9;-~]|:(?=[!-~])){_INSIDE}"
# The next line of a quoted text: it is not empty, and no mark of a document.
_GOES_ON = rf"\n {{1,{_WIDEST}}}+(?=[!-~])"
_HEX = "[0-9A-Fa-f]"
_ESCAPE = rf"\\(?:[ \"\\nt]|x{_HEX}{{2}}|u(?![dD]){_HEX}{{4}}|U0001{_HEX}{{4}})"
_QUOTED = rf"""'(?:[ -&(-~]++|''|{_GOES_ON})*+'|"(?:[ !#-[\]-~]++|{_ESCAPE}|\\?{_GOES_ON})*+\""""
_KEY = r"[A-Za-z_][A-Za-z0-9_./-]{0,200}"
# As it is written: every line starts with as many spaces as the first one, or is empty.
_BLOCK = rf"\|(-?\n+( {{1,{_WIDEST}}}+)[!-~][ -~\t]*+(?:\n++\6[ -~\t]++)*+)"
_LINE = re.compile(
    rf"^(?:( {{0,{_WIDEST}}}+)(?=[!-~])(?:((?:- ){{0,{_WIDEST}}}+)(?:({_KEY}):(?: |$))?"
    rf"(?:({_PLAIN}|{_QUOTED}|\{{\}}|\[\])|{_BLOCK}|({_MORE}))?|#[ -~]*+))?$",
    re.MULTILINE,
)
_ONE_MORE = re.compile(_MORE)
_NEXT_DOCUMENT = re.compile(r"^---\n", re.MULTILINE)
_FOLDED = re.compile(r" *\n *")
_ESCAPED = re.compile(rf"\\(x..|u.{{4}}|U.{{8}}|\n *|.)|{_FOLDED.pattern}")
_ESCAPES = {" ": " ", '"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_STR = "tag:yaml.org,2002:str"
_SIMPLE = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null"))
# What plain text means is decided by its first character first, in YAML 1.1 as PyYAML has it.
_SURELY_TEXT = re.compile(r"[^yYnNtTfFoO+.0-9<~=-]")
_MAYBE_A_NUMBER = re.compile(r"[+.0-9-]")
# Nor in times, which start with a digit as well.
_NEVER_IN_NUMBERS = re.compile(r"[^-+.:0-9A-Fa-fINTXZinotxz_ \t]")
_MAYBE_A_WORD = re.compile(r"[A-Za-z]")
_WORDS: dict[str, bool | None] = {
    written: value
    for words, value in ((("yes", "true", "on"), True), (("no", "false", "off"), False))
    for word in words
    for written in (word, word.capitalize(), word.upper())
} | dict.fromkeys(("null", "Null", "NULL"))
_NOT_PLAIN = frozenset(("", "'", '"', "{", "["))
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")

UNUSUAL: Final = object()
"""The result if another reader has to read the text."""


class _UnusualError(Exception):
    """A line that is not where it would have to be."""


def load(text: bytes | str) -> Any:
    """The only document of a text, or `UNUSUAL`."""
    documents = load_all(text)
    return UNUSUAL if documents is UNUSUAL or len(documents) != 1 else documents[0]


def load_all(text: bytes | str) -> Any:
    """A list of all documents of a text, empty ones as None; or `UNUSUAL`."""
    if not text.isascii():
        return UNUSUAL
    pieces = _NEXT_DOCUMENT.split(text if isinstance(text, str) else text.decode("ascii"))
    try:
        documents = [_document(piece) if piece else None for piece in pieces]
    except _UnusualError:
        return UNUSUAL
    if pieces[0]:
        return documents
    return documents[1:] or UNUSUAL


def _document(text: str) -> Any:
    lines = _lines(text)
    first = next((line for line in lines if any(line[1:])), None)
    if first is None:
        raise _UnusualError
    document = _Document(first)
    for spaces, dashes, key, value, block, indentation, more in lines:
        column = len(spaces)
        if dashes or key:
            if more or not (key or value or block):
                raise _UnusualError
            column = document.begin(column, dashes, key)
            document.put(key, value, _as_written(block, indentation, column) if block else None)
        elif block:
            raise _UnusualError
        elif value or more:
            document.go_on(column, value or more, is_value=not more)
        else:  # an empty line, or a comment
            document.begun = None
    return document.root


def _lines(text: str) -> list[_Line]:
    whole = text.removesuffix("\n")
    lines: list[_Line] = _LINE.findall(whole)
    missing = whole.count("\n") + 1 - len(lines)
    if missing:  # a value on several lines, or a line that is not like this
        missing -= sum(line[3].count("\n") + line[4].count("\n") for line in lines)
        if missing or whole is text:
            raise _UnusualError
    return lines


class _Document:
    """What the lines so far make up."""

    __slots__ = ("_last", "_levels", "_waiting", "begun", "root")

    def __init__(self, first: _Line) -> None:
        self.root: Any = [] if first[1] else {}
        self._levels: list[_Level] = [(len(first[0]), self.root)]
        self._waiting = ""  # a key whose value may be on the lines below
        self._last: Any = -1  # the key or index of the last value
        self.begun: str | None = None
        """The text of the last value, if the next line may go on with it."""

    def begin(self, column: int, dashes: str, key: str) -> int:
        """Go to the mapping or list that a line adds to; returns where its parts start."""
        container = self._container(column, in_list=bool(dashes))
        for _ in dashes[2::2]:
            column += 2
            container.append([])
            container = container[-1]
            self._levels.append((column, container))
        if dashes and key:
            column += 2
            container.append({})
            self._levels.append((column, container[-1]))
        return column

    def put(self, key: str, value: str, found: str | None) -> None:
        """Add what a line has: a scalar as it is written, or a text."""
        container = self._levels[-1][1]
        self._waiting = "" if value or found is not None else key
        self.begun = value if value[:1] not in _NOT_PLAIN else None
        self._last = key or -1
        this: Any = _value(value) if value else found
        if not key:
            container.append(this)
        elif _scalar(key) == key:
            container[key] = this
        else:  # `on` and `null` are not strings
            raise _UnusualError

    def go_on(self, column: int, line: str, *, is_value: bool) -> None:
        """Add a line to the last value, or the value to a key that waits for one."""
        top, container = self._levels[-1]
        begun, is_plain = "" if self._waiting else self.begun, line[0] not in _NOT_PLAIN
        more = is_plain or not is_value or _ONE_MORE.fullmatch(line)
        if column <= top or begun is None or not (more if begun else is_value):
            raise _UnusualError
        text = f"{begun} {line}" if begun else line
        if len(text) > _MOST_FOLDED:
            raise _UnusualError
        container[self._last] = _value(text)
        self.begun = text if begun or is_plain else None
        self._waiting = ""

    def _container(self, column: int, *, in_list: bool) -> Any:
        """The mapping or list that a line belongs to; the levels end with it."""
        levels, waiting = self._levels, self._waiting
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


def _as_written(block: str, indentation: str, column: int) -> str:
    """The text of a block, after its `|`."""
    if len(indentation) <= column:
        raise _UnusualError
    how, _, body = block.partition("\n")
    core = body.lstrip("\n")
    text = core[len(indentation) :].replace(f"\n{indentation}", "\n")
    return "\n" * (len(body) - len(core)) + text + ("" if how else "\n")


def _value(text: str) -> Any:
    match text[0]:
        case "'":
            inner = text[1:-1].replace("''", "'")
            return _FOLDED.sub(" ", inner) if "\n" in inner else inner
        case '"':
            inner = text[1:-1]
            return _ESCAPED.sub(_unescaped, inner) if "\\" in inner or "\n" in inner else inner
        case "{":
            return {}
        case "[":
            return []
        case _:
            return _scalar(text) if len(text) <= _LONGEST else _long(text)


def _unescaped(match: re.Match[str]) -> str:
    what: str | None = match[1]
    if what is None:
        return " "
    return chr(int(what[1:], 16)) if what[0] in "xuU" else _ESCAPES.get(what, "")


def _long(text: str) -> str:
    if _MAYBE_A_NUMBER.match(text) and not _NEVER_IN_NUMBERS.search(text):
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
