"""The text of each parameter of a class file, for telling which of them an edit has changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Hashable

# Anchors, aliases and tags lead out of the text that they stand in; only ASCII is counted in bytes.
_LEADS_ELSEWHERE = re.compile(rb"[&*!%\x80-\xff]")
_PARAMETERS = "parameters"
_MARKS = "=~"
_MERGE = "<<"


def texts_in(text: bytes, root: yaml.Node) -> dict[Hashable, bytes]:
    """What says all about the value of a parameter, for those of which that is so.

    The meaning of a mapping or list follows from its characters and the column of the first one:
    lines below have their columns with them.
    """
    if _LEADS_ELSEWHERE.search(text):
        return {}
    found: dict[Hashable, bytes] = {}
    several: set[Hashable] = set()
    for key, value in _pairs(root):
        name = key.value.lstrip(_MARKS)
        if name in found:
            several.add(name)
        start, end = value.start_mark, value.end_mark
        found[name] = b"%d:%s" % (start.column, text[start.index : end.index])
    if _MERGE in found:  # what is merged may override a parameter that stands beside it
        return {}
    return {name: what for name, what in found.items() if name not in several}


def _pairs(root: yaml.Node) -> list[tuple[Any, Any]]:
    for key, value in root.value:
        if key.value == _PARAMETERS and isinstance(value, yaml.MappingNode):
            return [one for one in value.value if isinstance(one[0], yaml.ScalarNode)]
    return []
