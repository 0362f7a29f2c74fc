"""YAML documents, byte for byte as PyYAML's safe dumper writes them in block style, only faster."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.errors import CommodoreError

from .scalars import (
    FORMS,
    HEADS,
    SIMPLE_KEY,
    WIDTH,
    Multiline,
    binary,
    number,
    timestamp,
    timestamp_key,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ALIASED = frozenset({list, dict, tuple, set, dt.date, dt.datetime})
_PADS = tuple(" " * indent for indent in range(2 * WIDTH))


class Unwritable(CommodoreError):
    """A value that safe YAML has no way to write."""


class Style(NamedTuple):
    """What differs between the writers that we follow."""

    indent_sequences: bool = True
    """Whether a list below its key goes in by two columns, or stands in the key's own."""
    multiline: Multiline = "literal"
    """The preferred style of text with a line break; "plain" for no preference."""
    aliases: bool = False
    """Whether an object that is in several places is written once, with an anchor."""


DEFAULT = Style()


def emit(value: object, style: Style = DEFAULT) -> str:
    """One document."""
    return emit_documents([value], style)


def emit_documents(documents: Iterable[object], style: Style = DEFAULT) -> str:
    """Several documents in one text."""
    writer = _Writer(style)
    try:
        for document in documents:
            writer.document(document)
    except RecursionError as error:
        raise Unwritable("nested too deeply to be written as YAML") from error
    except ValueError as error:
        # An integer of more digits than Python turns into text.
        raise Unwritable(f"cannot be written as YAML: {error}") from error
    return writer.text()


class _Writer:
    """The text so far. A `lead` is what a line begins with, up to where the value is to stand."""

    def __init__(self, style: Style) -> None:
        self._out: list[str] = []
        self._style = style
        self._multiline = style.multiline
        self._step = 2 if style.indent_sequences else 0
        self._open = False
        self._numbers: Mapping[int, int] = {}
        self._anchored: set[int] = set()

    def document(self, value: object) -> None:
        """Add a document."""
        if self._style.aliases:
            self._numbers = _numbers(value)
            self._anchored = set()
        lead = "--- " if self._out else ""
        self._node(value, lead, -2, compact=not lead, step=2)
        plain = self._out[-1][len(lead) : len(lead) + 1] not in {"'", '"', "|", ">", "!"}
        self._open = plain and type(value) not in {dict, list, tuple, set}

    def text(self) -> str:
        """The whole stream; an end is marked where a reader could expect more of the last text."""
        text = "".join(self._out)
        return f"{text}...\n" if self._open or text.endswith("\n\n") else text

    def _node(self, value: object, lead: str, indent: int, *, compact: bool, step: int) -> None:
        """Write a value below what stands at an indent; `compact` if a block may begin on the line.

        A list that begins on the next line goes in by `step`.
        """
        out = self._out
        properties = self._anchor(value) if id(value) in self._numbers else ""
        if properties.startswith("*"):
            out.append(f"{lead}{properties}\n")
            return
        if type(value) is set:
            properties += "!!set "
            value = dict.fromkeys(value)
        if type(value) is not dict and type(value) is not list and type(value) is not tuple:
            column = len(lead) + len(properties)
            scalar = self._scalar(value, column, _pad(max(indent + 2, 2)))
            out.append(f"{lead}{properties}{scalar}\n")
            return
        if not value:
            out.append(f"{lead}{properties}{'{}' if type(value) is dict else '[]'}\n")
            return
        if compact and not properties:
            step = 2
        else:
            out.append(f"{f'{lead}{properties}'[:-1]}\n")
            lead = ""
        if type(value) is dict:
            self._mapping(value, lead or _pad(indent + 2), indent + 2)
        else:
            self._sequence(value, lead or _pad(indent + step), indent + step)

    def _mapping(self, value: dict[object, object], lead: str, indent: int) -> None:
        out = self._out
        pad = _pad(indent)
        room = WIDTH - indent
        for key, item in _sorted(value):
            head = HEADS[key] if type(key) is str else self._head(key)
            if not head:
                self._node(key, f"{lead}? ", indent, compact=True, step=self._step)
                self._node(item, f"{pad}: ", indent, compact=True, step=self._step)
            elif type(item) is str:
                form = FORMS[item]
                if not form or len(form) + len(head) > room:
                    form = written(item, self._multiline, indent + len(head), _pad(indent + 2))
                out.append(f"{lead}{head}{form}\n")
            elif type(item) is int:
                out.append(f"{lead}{head}{item}\n")
            else:
                self._node(item, lead + head, indent, compact=False, step=self._step)
            lead = pad

    def _sequence(self, items: Iterable[object], lead: str, indent: int) -> None:
        out = self._out
        pad = _pad(indent)
        room = WIDTH - indent - 2
        for item in items:
            if type(item) is str:
                form = FORMS[item]
                if not form or len(form) > room:
                    form = written(item, self._multiline, indent + 2, _pad(indent + 2))
                out.append(f"{lead}- {form}\n")
            else:
                self._node(item, f"{lead}- ", indent, compact=True, step=2)
            lead = pad

    def _scalar(self, value: object, column: int, pad: str) -> str:
        if type(value) is str:
            return written(value, self._multiline, column, pad)
        if isinstance(value, dt.date) and type(value) in _ALIASED:
            return timestamp(value, column, pad)
        if type(value) is bytes:
            return binary(value, pad)
        return constant(value)

    def _head(self, key: object) -> str:
        """A key that is not a string, with its colon; "" if it takes a question mark."""
        if id(key) in self._anchored:
            return f"{self._anchor(key)}: "
        if isinstance(key, dt.date) and type(key) in _ALIASED:
            anchor = self._anchor(key) if id(key) in self._numbers else ""
            return f"{anchor}{timestamp_key(key)}: "
        if type(key) is tuple or type(key) is bytes:
            return "" if key or type(key) is bytes else "[]: "
        text = constant(key)
        return f"{text}: " if len(text) + len("!!int") < SIMPLE_KEY else ""

    def _anchor(self, value: object) -> str:
        """The anchor of an object that is in several places, an alias if it was written before."""
        name = f"id{self._numbers[id(value)]:03d}"
        if id(value) in self._anchored:
            return f"*{name}"
        self._anchored.add(id(value))
        return f"&{name} "


def constant(value: object) -> str:
    """A null, boolean or number."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if type(value) is float:
        return number(value)
    kind = type(value)
    raise Unwritable(f"{kind.__module__}.{kind.__qualname__} cannot be written as YAML")


def _sorted(value: dict[object, object]) -> Iterable[tuple[object, object]]:
    try:
        return sorted(value.items())
    except TypeError:
        return value.items()


def _pad(indent: int) -> str:
    return _PADS[indent] if indent < len(_PADS) else " " * indent


def _numbers(document: object) -> dict[int, int]:
    """The objects that are in several places, by identity, numbered as they are met again."""
    if not _counted(document, dict.items):
        return {}
    return _counted(document, _sorted)


def _counted(
    document: object, pairs: Callable[[dict[object, object]], Iterable[tuple[object, object]]]
) -> dict[int, int]:
    met: set[int] = set()
    numbers: dict[int, int] = {}
    waiting = [document]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind not in _ALIASED or value == ():
            continue
        if id(value) in met:
            numbers.setdefault(id(value), len(numbers) + 1)
            continue
        met.add(id(value))
        if isinstance(value, dict):
            waiting += reversed([part for pair in pairs(value) for part in pair])
        elif isinstance(value, set):
            waiting += reversed([key for key, _ in pairs(dict.fromkeys(value))])
        elif isinstance(value, list | tuple):
            waiting += reversed(value)
    return numbers
