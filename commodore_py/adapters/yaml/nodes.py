"""YAML as nodes: syntax by libyaml, meaning left to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml._yaml import CParser
from yaml.composer import Composer, ComposerError

from .error import BoundedLevels, problem_in

if TYPE_CHECKING:
    from yaml import Node

UNTYPED = "!"


class _Untyped(BoundedLevels):
    """Given tags stay, others are not resolved."""

    def resolve(self, kind: object, value: object, implicit: object) -> str:  # noqa: ARG002 - libyaml's signature
        """Leave every node without a tag of its own untyped."""
        return UNTYPED


class _Composer(_Untyped, CParser):
    """libyaml's parser and composer alone."""

    def __init__(self, text: bytes | str) -> None:
        CParser.__init__(self, text)


class _RepeatingComposer(_Untyped, Composer, CParser):
    """PyYAML's composer, in which an anchor may be given again: aliases lead to the last one."""

    def __init__(self, text: bytes | str) -> None:
        CParser.__init__(self, text)
        Composer.__init__(self)

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """Forget an anchor that is given again."""
        event: Any = self.peek_event()
        if not isinstance(event, yaml.AliasEvent):
            self.anchors.pop(event.anchor, None)
        return super().compose_node(parent, index)


def compose(text: bytes | str, *, name: str) -> Node | None:
    """The single document of a text as nodes; None when it is empty.

    An anchor may be given again, as YAML allows; libyaml's composer would refuse that.
    """
    try:
        try:
            node: Node | None = _Composer(text).get_single_node()
        except ComposerError as error:
            if "duplicate anchor" not in str(error):
                raise
            node = _RepeatingComposer(text).get_single_node()
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise problem_in(error, name, text) from error
    return node
