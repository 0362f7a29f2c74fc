"""A YAML text as parts that know where they stand, for edits that leave all other bytes alone."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import yaml

from .error import YamlError, problem_in
from .nodes import syntax_events

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["scalar", "mapping", "list", "alias"]

# Line breaks of YAML 1.1 that are none of ours: whoever edits by lines would miss them.
_OTHER_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


@dataclass(slots=True, eq=False)
class Part:
    """A value of a text: from its first character to behind its last one, without comments."""

    kind: Kind
    start: int
    end: int
    text: str = ""
    """The value of a scalar; the name of an alias."""
    style: str = ""
    """How a scalar is quoted, or `|` or `>`; `flow` for what stands in brackets."""
    anchor: str = ""
    tag: str = ""
    pairs: list[tuple[Part, Part]] = field(default_factory=list)
    items: list[Part] = field(default_factory=list)

    @property
    def is_block(self) -> bool:
        """True if it is a mapping or list whose parts stand on lines of their own."""
        return self.style != "flow" and bool(self.pairs or self.items)

    @property
    def is_null(self) -> bool:
        """True if nothing is written, or null."""
        return (
            self.kind == "scalar"
            and not self.style
            and self.text in {"", "~", "null", "Null", "NULL"}
        )

    @property
    def is_empty_list(self) -> bool:
        """True if it is a list without items."""
        return self.kind == "list" and not self.items

    def all(self) -> Iterator[Part]:
        """This part and all below it, in the order of the text."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting += reversed([one for pair in part.pairs for one in pair] or part.items)


def text_of(data: bytes, *, name: str) -> str:
    """The text of a file; a byte order mark becomes a blank, as it is one column for reclass-rs."""
    hint = "save it as UTF-8, with line feeds at the ends of lines"
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise YamlError("the file is not UTF-8", where=name, hint=hint)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise YamlError("the file is not UTF-8", where=name, hint=hint) from None
    if match := _OTHER_BREAKS.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise YamlError.at(
            f"line break {match[0]!r} cannot be edited around", name, line, hint=hint
        )
    return f" {text[1:]}" if text.startswith("\ufeff") else text


def parts_of(text: str, *, name: str) -> Part | None:
    """The document of a text; None if it has none, or only comments."""
    try:
        documents = _documents(text)
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise problem_in(error, name, text) from error
    if len(documents) > 1:
        line = text.count("\n", 0, documents[1].start) + 1
        raise YamlError.at("more than one document", name, line)
    if not documents or (documents[0].is_null and documents[0].start == documents[0].end):
        return None
    return documents[0]


def _documents(text: str) -> list[Part]:
    root = Part("list", 0, 0)
    open_parts = [root]
    for event in syntax_events(text):
        if isinstance(event, yaml.CollectionEndEvent):
            _close(open_parts.pop(), event)
        elif isinstance(event, yaml.NodeEvent):
            part = _part(event, text)
            open_parts[-1].items.append(part)
            if isinstance(event, yaml.CollectionStartEvent):
                open_parts.append(part)
    return root.items


def _part(event: Any, text: str) -> Part:
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, yaml.AliasEvent):
        return Part("alias", start, end, event.anchor or "")
    anchor, tag = event.anchor or "", event.tag or ""
    if isinstance(event, yaml.ScalarEvent):
        style = event.style or ""
        if style in {"|", ">"}:
            end = _end_of_block(text, start, end)
        return Part("scalar", start, end, event.value, style, anchor, tag)
    kind: Kind = "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
    return Part(kind, start, end, "", "flow" if event.flow_style else "", anchor, tag)


def _end_of_block(text: str, start: int, end: int) -> int:
    """The end of a block of text: empty lines behind it belong to it if it keeps them."""
    header, _, _ = text[start:end].partition("\n")
    if "+" in header.partition("#")[0]:
        return end - (text[end - 2 : end] == "\r\n") - 1 if text[end - 1] == "\n" else end
    return start + len(text[start:end].rstrip())


def _close(part: Part, event: Any) -> None:
    """Turn what was gathered into pairs, and find the end."""
    if part.style == "flow":
        part.end = event.end_mark.index
    elif part.items:
        part.end = part.items[-1].end
    if part.kind == "mapping":
        keys, values = part.items[::2], part.items[1::2]
        part.pairs, part.items = list(zip(keys, values, strict=True)), []
