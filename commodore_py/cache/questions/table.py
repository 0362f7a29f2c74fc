"""The one table of kinds of questions, and their stored form.

A question is stored as the name of its kind, a space, and what it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .files import (
    Content,
    CurrentDirectory,
    Expansion,
    FileEntry,
    FolderTree,
    Judged,
    Listing,
    Location,
    PathKind,
)
from .inventory import InventoryPart, NodeValue, Reference, TargetList, WholeTarget
from .remotes import RemoteRef
from .tools import Environment, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import Question, View

KINDS: Mapping[str, type[Question]] = {
    one.kind: one
    for one in (
        Content,
        FileEntry,
        PathKind,
        Judged,
        Listing,
        FolderTree,
        Expansion,
        Location,
        CurrentDirectory,
        InventoryPart,
        WholeTarget,
        TargetList,
        NodeValue,
        Reference,
        RemoteRef,
        Tool,
        Environment,
    )
}
"""Every kind of question, by the name that it is stored with."""

_parsed: dict[str, Question] = {}


def parse(stored: str) -> Question:
    """The stored question; each is created once. Raises ValueError for an unknown kind."""
    question = _parsed.get(stored)
    if question is None:
        kind, _, about = stored.partition(" ")
        if kind not in KINDS:
            raise ValueError(f"unknown kind of question: {kind}")
        question = _parsed[stored] = KINDS[kind](about)
    return question


def answer(view: View, stored: str) -> bytes:
    """The answer to a question in its stored form."""
    known = view.known.get(stored) if view.disk_only else None
    return parse(stored).ask(view) if known is None else known
