"""The one table of kinds of questions.

A question is a string: the name of its kind, a space, and what it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .inventory import INVENTORY, REFERENCE
from .paths import LOOKUPS, kind_of
from .remotes import REMOTE
from .tools import ENVIRONMENT, TOOL

if TYPE_CHECKING:
    from .base import Kind, View

KINDS: dict[str, Kind] = {
    **{name: kind_of(name, lookup) for name, lookup in LOOKUPS.items()},
    **{kind.name: kind for kind in (INVENTORY, REFERENCE, REMOTE, TOOL, ENVIRONMENT)},
}


def answer(question: str, view: View) -> str:
    """The answer to a question. Raises KeyError for an unknown kind."""
    if view.disk_only and question in view.answers:
        return view.answers[question]
    kind, _, about = question.partition(" ")
    return KINDS[kind].ask(about, view)


def describe_change(question: str) -> str:
    """For people: that the answer to a question has changed."""
    name, _, about = question.partition(" ")
    kind = KINDS[name]
    return kind.change.format(kind.subject(about))
