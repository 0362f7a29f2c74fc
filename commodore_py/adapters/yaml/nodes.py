"""YAML as nodes: syntax by libyaml, meaning left to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from yaml._yaml import CParser
from yaml.composer import ComposerError

from .error import BoundedLevels, YamlError, problem_in
from .parts import parts_of

if TYPE_CHECKING:
    from yaml import Node

    from .parts import Part

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
