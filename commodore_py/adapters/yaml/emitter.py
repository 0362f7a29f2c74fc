"""YAML documents, byte for byte as PyYAML's safe dumper writes them in block style, only faster."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from yaml.representer import SafeRepresenter

from commodore_py.errors import CommodoreError

from .scalars import SIMPLE_KEY, WIDTH, Multiline, short_form, simple_key, written

if TYPE_CHECKING:
    from collections.abc import Iterable

_REPRESENTER = SafeRepresenter()
_BLOCKS = {"literal": "|", "folded": ">", "double-quotes": '"'}


class Unwritable(CommodoreError):
    """A value that safe YAML has no way to write."""


class Style(NamedTuple):
    """The differences between the writers that we follow."""

    indent_sequences: bool = True
    """Whether a list below its key goes in by two columns, or stands in the key's own."""
    multiline: Multiline = "literal"
    """The preferred style of strings with a line break; "plain" for no preference."""
    aliases: bool = False
    """Whether an object that is in several places is written once, with an anchor."""


DEFAULT = Style()


def emit(value: object, style: Style = DEFAULT) -> str:
    """One document."""
    return emit_documents([value], style)


def emit_documents(documents: Iterable[object], style: Style = DEFAULT) -> str:
    """Several documents in one text.

    Dates, sets and whatever else JSON lacks, aliases, keys of several lines and folded strings are
    rare: a text with one of them is left to PyYAML.
    """
    documents = list(documents)
    if style.multiline in {"literal", "plain"} and not style.aliases:
        with suppress(Unwritable, RecursionError, ValueError):
            return _Writer(style).stream(documents)
    return dumped(documents, _dumper(style), default_flow_style=False)


class _Writer:
    """The text so far. A `lead` is what a line begins with, up to where the value is to stand."""

    def __init__(self, style: Style) -> None:
        self._out: list[str] = []
        self._multiline = style.multiline
        self._step = 2 if style.indent_sequences else 0

    def stream(self, documents: Iterable[object]) -> str:
        """The whole text; an end is marked where a reader could expect more of the last string."""
        is_open = False
        for document in documents:
            lead = "--- " if self._out else ""
            self._node(document, lead, -2, compact=not lead, step=2)
            is_plain = self._out[-1][len(lead) : len(lead) + 1] not in {"'", '"', "|"}
            is_open = is_plain and not isinstance(document, dict | list | tuple)
        text = "".join(self._out)
        return f"{text}...\n" if is_open or text.endswith("\n\n") else text

    def _node(self, value: object, lead: str, indent: int, *, compact: bool, step: int) -> None:
        """Write a value below what stands at an indent; `compact` if a block may begin on the line.

        A list that begins on the next line goes in by `step`.
        """
        out = self._out
        if type(value) is str:
            room = WIDTH - len(lead)
            form = short_form(value) if len(value) <= room else ""
            if not form or len(form) > room:
                form = written(value, self._multiline, len(lead), " " * max(indent + 2, 2))
            out.append(f"{lead}{form}\n")
        elif type(value) is not dict and type(value) is not list and type(value) is not tuple:
            out.append(f"{lead}{_constant(value)}\n")
        elif not value:
            out.append(f"{lead}{'{}' if type(value) is dict else '[]'}\n")
        else:
            if not compact:
                out.append(f"{lead[:-1]}\n")
                lead = ""
            if type(value) is dict:
                self._mapping(value, lead or " " * (indent + 2), indent + 2)
                return
            indent += step
            lead = lead or " " * indent
            for item in value:
                self._node(item, f"{lead}- ", indent, compact=True, step=2)
                lead = " " * indent

    def _mapping(self, value: dict[object, object], lead: str, indent: int) -> None:
        for key, item in _sorted(value):
            head = simple_key(key) if type(key) is str else f"{_constant(key)}: "
            if not head or (type(key) is not str and len(head) >= SIMPLE_KEY + len(": ")):
                raise Unwritable("a key that does not fit on a line")
            self._node(item, lead + head, indent, compact=False, step=self._step)
            lead = " " * indent


def _constant(value: object) -> str:
    """A null, boolean or number."""
    if type(value) is int:
        return str(value)
    if value is None or type(value) is bool or type(value) is float:
        return str(_REPRESENTER.represent_data(value).value)
    raise Unwritable("a value that JSON lacks")


def _sorted(value: dict[object, object]) -> Iterable[tuple[object, object]]:
    try:
        return sorted(value.items())
    except TypeError:
        return value.items()


def dumped(documents: Iterable[object], dumper: type[yaml.SafeDumper], **options: Any) -> str:
    """Documents as one of PyYAML's dumpers writes them, with its options."""
    try:
        text: str = yaml.dump_all(documents, Dumper=dumper, **options)
    except yaml.representer.RepresenterError as error:
        kind = type(error.args[-1])
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise Unwritable(f"{name} cannot be written as YAML") from error
    except RecursionError as error:
        raise Unwritable("nested too deeply to be written as YAML") from error
    except ValueError as error:
        # An integer of more digits than Python turns into a string.
        raise Unwritable(f"cannot be written as YAML: {error}") from error
    return text


@cache
def _dumper(style: Style) -> type[yaml.SafeDumper]:
    """PyYAML's dumper for a style."""

    class Dumper(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002 - PyYAML's signature
            super().increase_indent(flow, indentless and not style.indent_sequences)

        def ignore_aliases(self, data: object) -> bool:
            return not style.aliases or bool(super().ignore_aliases(data))

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        block = _BLOCKS.get(style.multiline) if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=block)

    Dumper.add_representer(str, represent)
    return Dumper
