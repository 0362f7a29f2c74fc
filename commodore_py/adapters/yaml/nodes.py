"""YAML as nodes: syntax by libyaml, meaning left to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml._yaml import CParser
from yaml.composer import ComposerError

from .bounds import MOST_LEVELS, BoundedLevels
from .error import Refused, YamlError, problem_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Node

UNTYPED = "!"


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
        return _compose(text, name)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise problem_in(error, name, text) from error


def _compose(text: bytes | str, name: str) -> Node | None:
    try:
        node: Node | None = _Composer(text).get_single_node()
    except ComposerError as error:
        if "duplicate anchor" not in str(error):
            raise
        return _compose_with_repeated_anchors(text, name)
    return node


def syntax_events(text: bytes | str) -> Iterator[yaml.Event]:
    """The events of libyaml's parser."""
    parser, level = _Composer(text), 0
    while (event := parser.get_event()) is not None:
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                problem = f"nested deeper than {MOST_LEVELS} levels"
                raise Refused.at(problem, event.start_mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        yield event


class _Alias(yaml.Node):
    """Stands for a node until all anchors are known."""


def _compose_with_repeated_anchors(text: bytes | str, name: str) -> Node | None:
    """Compose as serde_yaml does, by which reclass-rs reads.

    It numbers anchors by how many names there are so far. A name that is given again takes the
    next number without adding a name, so the next new name takes that number as well: then all
    aliases of either lead to the last one.
    """
    numbers: dict[str, int] = {}
    anchored: dict[int, Node] = {}
    root = yaml.SequenceNode(UNTYPED, [])
    open_nodes: list[Node] = [root]
    for event in syntax_events(text):
        if isinstance(event, yaml.CollectionEndEvent):
            open_nodes.pop()
        if not isinstance(event, yaml.NodeEvent):
            continue
        node = _node(event, numbers, name)
        open_nodes[-1].value.append(node)
        if event.anchor and not isinstance(node, _Alias):
            number = numbers[event.anchor] = len(numbers)
            anchored[number] = node
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append(node)
    if len(root.value) > 1:
        raise YamlError("more than one document", where=name)
    _settle(root, anchored)
    return root.value[0] if root.value else None


def _node(event: yaml.NodeEvent, numbers: dict[str, int], name: str) -> Node:
    start: Any = event.start_mark  # libyaml's marks look like PyYAML's own, but are none
    end: Any = event.end_mark
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in numbers:
            raise YamlError.at(f"anchor {event.anchor} not found", name, start.line + 1)
        return _Alias(UNTYPED, numbers[event.anchor], start, end)
    tag = getattr(event, "tag", None) or UNTYPED
    if isinstance(event, yaml.ScalarEvent):
        style = None if event.style == "" else event.style
        return yaml.ScalarNode(tag, event.value, start, end, style=style)
    kind = yaml.SequenceNode if isinstance(event, yaml.SequenceStartEvent) else yaml.MappingNode
    return kind(tag, [], start, end)


def _settle(root: Node, anchored: dict[int, Node]) -> None:
    """Put nodes in the place of aliases, and pairs into mappings."""
    waiting, settled = [root], set[yaml.Node]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.ScalarNode) or node in settled:
            continue
        settled.add(node)
        items = [anchored[item.value] if isinstance(item, _Alias) else item for item in node.value]
        waiting += items
        node.value = (
            list(zip(items[::2], items[1::2], strict=True))
            if isinstance(node, yaml.MappingNode)
            else items
        )
