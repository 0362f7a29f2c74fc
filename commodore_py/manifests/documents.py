"""The documents of a file: taken apart without reading them, and read as objects (pure)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from commodore_py.adapters.yaml import quick as yaml_quick
from commodore_py.errors import CommodoreError

from .objects import KubeObject, identify, members
from .values import canonical

_START = re.compile(rb"^---(?=\s|$)", re.MULTILINE)
# These say something about the documents around them.
_DIRECTIVE_OR_END = re.compile(rb"^(?:%|\.\.\.(?:\s|$))", re.MULTILINE)
_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Read:
    """What a text holds: objects, and documents that are none."""

    objects: tuple[KubeObject, ...]
    others: tuple[object, ...]


def may_hold_objects(path: str) -> bool:
    """Whether objects are looked for in a file of that name."""
    return path.endswith(_ENDINGS)


def taken_apart(text: bytes) -> tuple[bytes, ...]:
    """The texts of a file's documents, unread; each can be read by itself."""
    if _DIRECTIVE_OR_END.search(text):
        return (text,)
    starts = [found.start() for found in _START.finditer(text)]
    places = [0, *(start for start in starts if start), len(text)]
    return tuple(part for start, end in pairwise(places) if (part := text[start:end]))


def read(text: bytes, path: str) -> Read | None:
    """What a text holds, or None if it cannot be read."""
    load = _load_json if path.endswith(".json") else partial(yaml_quick.load_all, name=path)
    try:
        documents = [one for document in load(text) for one in members(document)]
        if b"&" in text:  # an alias may lead back to where it stands
            canonical(documents)
    except (CommodoreError, ValueError, RecursionError):
        return None
    objects: list[KubeObject] = []
    others: list[object] = []
    for document in documents:
        id_ = identify(document)
        if id_ is not None and isinstance(document, dict):
            objects.append(KubeObject(id_, document, path))
        elif document is not None:
            others.append(document)
    return Read(tuple(objects), tuple(others))


def _load_json(text: bytes) -> list[object]:
    return [json.loads(text)] if text.strip() else []
