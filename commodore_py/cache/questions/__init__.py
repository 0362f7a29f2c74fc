"""The one table of kinds of questions, and their stored form.

A question is stored as the name of its kind, a space, and what it is about.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from .files import Content, FileEntry, Judged, Location, PathKind
from .folders import Expansion, FolderTree, Listing
from .inventory import InventoryPart, Reference
from .remotes import RemoteRef
from .tools import Environment, Tool

if TYPE_CHECKING:
    from .base import Question, View

KINDS: dict[str, type[Question]] = {
    kind.kind: kind
    for kind in (
        Content,
        FileEntry,
        PathKind,
        Judged,
        Location,
        Listing,
        FolderTree,
        Expansion,
        InventoryPart,
        Reference,
        RemoteRef,
        Tool,
        Environment,
    )
}
"""Every kind of question, by the name that it is stored with."""


@functools.lru_cache(maxsize=65536)  # the same questions in many records
def parse(stored: str) -> Question:
    """The stored question. Raises ValueError for an unknown kind."""
    kind, _, about = stored.partition(" ")
    if kind not in KINDS:
        raise ValueError(f"unknown kind of question: {kind}")
    return KINDS[kind](about)


def answer(view: View, stored: str) -> str:
    """The answer to a question in its stored form."""
    known = view.answers.get(stored) if view.disk_only else None
    return parse(stored).ask(view) if known is None else known
