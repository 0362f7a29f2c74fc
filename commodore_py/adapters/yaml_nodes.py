"""YAML as nodes: syntax by libyaml, meaning left to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from .yaml import problem_in

if TYPE_CHECKING:
    from yaml import Node

UNTYPED = "!"


class _Untyped:
    """What libyaml's parser asks of a resolver: nothing is resolved, given tags stay."""

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        """Ignore where we are."""

    def ascend_resolver(self) -> None:
        """Ignore where we are."""

    def resolve(self, kind: object, value: object, implicit: object) -> str:  # noqa: ARG002 - libyaml's signature
        """Leave every node without a tag of its own untyped."""
        return UNTYPED


class _Composer(yaml.cyaml.CParser, _Untyped):
    """libyaml's parser and composer alone."""

    def __init__(self, text: bytes | str) -> None:
        yaml.cyaml.CParser.__init__(self, text)


def compose(text: bytes | str, *, name: str) -> Node | None:
    """The single document of a text as nodes; None when it is empty."""
    try:
        node: Node | None = _Composer(text).get_single_node()
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise problem_in(error, name) from error
    return node
