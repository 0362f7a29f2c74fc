"""The text of each parameter of a class file, for telling which of them an edit has changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from .yaml_values import MARKS, MERGE

if TYPE_CHECKING:
    from collections.abc import Hashable

# Anchors, aliases and tags lead out of the text that they stand in; only ASCII is counted in bytes.
_LEADS_ELSEWHERE = re.compile(rb"[&*!%\x80-\xff]")


def texts_in(text: bytes, parameters: yaml.MappingNode) -> dict[Hashable, bytes]:
    """What says all about the value of a parameter, for those of which that is so.

    The meaning of a mapping or list follows from its characters and the column of the first one:
    lines below have their columns with them.
    """
    if _LEADS_ELSEWHERE.search(text):
        return {}
    found: dict[Hashable, bytes] = {}
    several: set[Hashable] = set()
    for key, value in parameters.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        name = key.value.lstrip(MARKS)
        if name in found:
            several.add(name)
        start, end = value.start_mark, value.end_mark
        found[name] = b"%d:%s" % (start.column, text[start.index : end.index])
    if MERGE in found:  # what is merged may override a parameter that stands beside it
        return {}
    return {name: what for name, what in found.items() if name not in several}
