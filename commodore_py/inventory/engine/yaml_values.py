"""YAML scalars and their tags to values, and what a hierarchy refuses (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.adapters.yaml.nodes import UNTYPED

from . import numbers
from .values import OddKey

if TYPE_CHECKING:
    from collections.abc import Hashable

MERGE = "<<"
MARKS = "=~"
"""What a key may begin with: it is constant, it overrides."""
_CORE = "tag:yaml.org,2002:"


class Refused(Exception):
    """A node that a hierarchy cannot hold; the reader adds the place."""

    def __init__(self, message: str, node: yaml.Node, hint: str = "") -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


def scalar(node: yaml.ScalarNode) -> Any:  # noqa: ANN401 - plain YAML values
    """What a scalar means."""
    text: str = node.value
    tag: str = node.tag
    try:
        if tag == UNTYPED:
            return text if node.style else numbers.scalar(text)
        refuse_tag(node)
        return _tagged(node, text, tag.removeprefix(_CORE))
    except numbers.TooLarge:
        raise Refused(
            f"number {text} needs more than 64 bits", node, hint=f"put it in quotes: '{text}'"
        ) from None


def key_of(node: yaml.Node) -> Hashable:
    """The key of a mapping, as written."""
    if not isinstance(node, yaml.ScalarNode):
        raise Refused("a mapping key must be a scalar", node)
    value = scalar(node)
    return OddKey(value) if isinstance(value, (bool, float)) else value


def is_empty(node: yaml.Node) -> bool:
    """Whether nothing stands here, not even `null` or a pair of quotes."""
    return isinstance(node, yaml.ScalarNode) and not node.value and not node.style


def refuse_tag(node: yaml.Node) -> None:
    """Tags of one's own are refused; those of YAML itself are passed over where they do not fit."""
    tag: str = node.tag
    if tag != UNTYPED and tag.startswith("!"):
        raise Refused(
            f"YAML tag {tag} is not supported in a hierarchy", node, hint="remove the tag"
        )


def _tagged(node: yaml.ScalarNode, text: str, kind: str) -> Any:  # noqa: ANN401 - plain YAML values
    value: Any
    match kind:
        case "null":
            value, fits = None, text != "" and numbers.scalar(text) is None
        case "bool":
            value = numbers.scalar(text)
            fits = isinstance(value, bool)
        case "int":
            value = numbers.integer(text)
            fits = value is not None
        case "float":
            value = numbers.floating(text)
            fits = value is not None
        case _:
            # !!str, and those that say nothing of scalars, such as !!binary.
            return text
    if not fits:
        raise Refused(f"{text!r} is no {kind}", node)
    return value
