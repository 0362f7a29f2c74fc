"""Objects that are also in files which did not change (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .documents import read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .objects import ObjectId

# Anything that may be a name: reading what only looks like it costs time, and nothing else.
_NAME = re.compile(rb"""[nN]ame["']?:\s*["']?([^\s"',}]+)""")


def found_in(texts: Iterable[bytes], wanted: Collection[ObjectId]) -> set[ObjectId]:
    """Which of the objects are in one of the texts; only likely texts are read."""
    by_name: dict[bytes, list[ObjectId]] = {}
    for id_ in wanted:
        by_name.setdefault(id_.name.removesuffix("*").encode(), []).append(id_)
    found: set[ObjectId] = set()
    for text in texts:
        likely = [id_ for name in set(_NAME.findall(text)) for id_ in by_name.get(name, ())]
        if any(id_ not in found and id_.kind.encode() in text for id_ in likely):
            content = read(text, "")
            if content is not None:
                found.update(one.id for one in content.objects)
    return found & set(wanted)
