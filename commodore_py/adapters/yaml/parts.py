"""A YAML text as it is written: as parts that know where they stand, or as PyYAML's nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import yaml
from yaml._yaml import CParser
from yaml.composer import ComposerError

from .error import MOST_LEVELS, BoundedLevels, Refused, YamlError, problem_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Node

UNTYPED = "!"
# Line breaks of YAML 1.1 that are none of ours: whoever edits by lines would miss them.
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
MARKS = "=~"
"""What a key may begin with in a hierarchy."""


@dataclass(slots=True, eq=False)
class Part:
    """A value of a text: from its first character to behind its last one, without comments."""

    kind: Literal["scalar", "mapping", "list", "alias"]
    start: int
    end: int
    text: str = ""
    """The value of a scalar; the name of an alias."""
    style: str = ""
    """How a scalar is quoted, or `|` or `>`; `flow` for what stands in brackets."""
    anchor: str = ""
    tag: str = ""
    marks: tuple[Any, Any] = (None, None)
    """Start and end for the parser, to which comments and empty lines below belong, too."""
    items: list[Part] = field(default_factory=list)
    """The values of a mapping or list."""
    key: Part | None = None
    """Of a value in a mapping."""
    siblings: list[Part] = field(default_factory=list)
    """The items of the mapping or list that it is in, itself included."""
    in_brackets: bool = False
    lead: int = 0
    """Where its key or its dash stands; in brackets, the item itself."""

    @property
    def is_block(self) -> bool:
        """True if it is a mapping or list whose items stand on lines of their own."""
        return self.style != "flow" and bool(self.items)

    @property
    def is_null(self) -> bool:
        """True if nothing is written, or null."""
        is_plain = self.kind == "scalar" and not self.style
        return is_plain and self.text in {"", "~", "null", "Null", "NULL"}

    @property
    def name(self) -> str:
        """Its key without marks."""
        return "" if self.key is None else self.key.text.lstrip(MARKS)

    @property
    def first(self) -> Part:
        """Its key, or itself in a list."""
        return self.key or self

    def all(self) -> Iterator[Part]:
        """This part and all below it, in the order of the text."""
        if self.key is not None:
            yield from self.key.all()
        yield self
        for item in self.items:
            yield from item.all()


def text_of(data: bytes, *, name: str) -> str:
    """The text of a file, with line feeds; a byte order mark becomes a blank.

    It is one column for reclass-rs. Line feeds with and without carriage returns are not mixed.
    """
    hint = "save it as UTF-8, with line feeds at the ends of lines"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise YamlError("the file is not UTF-8", where=name, hint=hint) from None
    if text.count("\r\n") == text.count("\n"):
        text = text.replace("\r\n", "\n")
    if match := _OTHER_BREAKS.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise YamlError.at(
            f"line break {match[0]!r} cannot be edited around", name, line, hint=hint
        )
    return f" {text[1:]}" if text.startswith("\ufeff") else text


def parts_of(text: str, *, name: str) -> Part | None:
    """The document of a text; None if it has none, or only comments."""
    try:
        events: Iterator[Any] = iter(CParser(text).get_event, None)
        documents = [
            _part(event, events, text, 1) for event in events if isinstance(event, yaml.NodeEvent)
        ]
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise problem_in(error, name, text) from error
    if len(documents) > 1:
        raise YamlError.at("more than one document", name, documents[1].marks[0].line + 1)
    if not documents or (documents[0].is_null and documents[0].start == documents[0].end):
        return None
    return documents[0]


def _part(event: Any, events: Iterator[Any], text: str, level: int) -> Part:
    """The part that begins with an event of libyaml's parser."""
    start, end = event.start_mark.index, event.end_mark.index
    marks = (event.start_mark, event.end_mark)
    if isinstance(event, yaml.AliasEvent):
        return Part("alias", start, end, event.anchor or "", marks=marks)
    anchor, tag = event.anchor or "", event.tag or ""
    if isinstance(event, yaml.ScalarEvent):
        style = event.style or ""
        if style in {"|", ">"}:
            end = _end_of_block(text, start, end)
        return Part("scalar", start, end, event.value, style, anchor, tag, marks=marks)
    if level > MOST_LEVELS:
        raise Refused.at(f"nested deeper than {MOST_LEVELS} levels", event.start_mark)
    is_list = isinstance(event, yaml.SequenceStartEvent)
    style = "flow" if event.flow_style else ""
    part = Part("list" if is_list else "mapping", start, end, "", style, anchor, tag)
    values: list[Part] = []
    while not isinstance(event := next(events), yaml.CollectionEndEvent):
        values.append(_part(event, events, text, level + 1))
    last: Any = event
    part.marks = (marks[0], last.end_mark)
    part.end = last.end_mark.index if style else values[-1].end
    part.items = values if is_list else values[1::2]
    for index, item in enumerate(part.items):
        item.siblings, item.in_brackets = part.items, bool(style)
        if is_list:
            item.lead = item.start if style else text.rindex("-", 0, max(item.start, 1))
        else:
            item.key = values[2 * index]
            item.lead = item.key.start
    return part


def _end_of_block(text: str, start: int, end: int) -> int:
    """The end of a block of text: empty lines behind it belong to it if it keeps them."""
    header, _, _ = text[start:end].partition("\n")
    if "+" in header.partition("#")[0]:
        return end - 1 if text[end - 1] == "\n" else end
    return start + len(text[start:end].rstrip())


class _Composer(BoundedLevels, CParser):
    """libyaml's parser and composer alone: given tags stay, others are not resolved."""

    def __init__(self, text: bytes | str) -> None:
        CParser.__init__(self, text)

    def resolve(self, kind: object, value: object, implicit: object) -> str:  # noqa: ARG002 - libyaml's signature
        """Leave every node without a tag of its own untyped."""
        return UNTYPED


def compose(text: bytes | str, *, name: str) -> Node | None:
    """The single document of a text as nodes; None when it is empty.

    An anchor may be given again, as YAML allows; PyYAML itself would refuse that.
    """
    try:
        try:
            node: Node | None = _Composer(text).get_single_node()
        except ComposerError as error:
            if "duplicate anchor" not in str(error):
                raise
            return _with_repeated_anchors(text.decode() if isinstance(text, bytes) else text, name)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise problem_in(error, name, text) from error
    return node


def _with_repeated_anchors(text: str, name: str) -> Node | None:
    """Compose as serde_yaml does, by which reclass-rs reads.

    It numbers anchors by how many names there are so far. A name that is given again takes the
    next number without adding a name, so the next new name takes that number as well: then all
    aliases of either lead to the last one.
    """
    root = parts_of(text, name=name)
    numbers: dict[str, int] = {}
    anchored: dict[int, Part] = {}
    aliases: dict[Part, int] = {}
    for part in root.all() if root else ():
        if part.kind == "alias":
            if part.text not in numbers:
                line = part.marks[0].line + 1
                raise YamlError.at(f"anchor {part.text} not found", name, line)
            aliases[part] = numbers[part.text]
        elif part.anchor:
            number = numbers[part.anchor] = len(numbers)
            anchored[number] = part
    nodes: dict[Part, Node] = {}

    def node_of(part: Part) -> Node:
        part = anchored[aliases[part]] if part in aliases else part
        if part in nodes:
            return nodes[part]
        tag = part.tag or UNTYPED
        if part.kind == "scalar":
            return yaml.ScalarNode(tag, part.text, *part.marks, style=part.style or None)
        kind = yaml.SequenceNode if part.kind == "list" else yaml.MappingNode
        node = nodes[part] = kind(tag, [], *part.marks)
        node.value += [
            (node_of(item.key), node_of(item)) if item.key else node_of(item) for item in part.items
        ]
        return node

    return node_of(root) if root else None
