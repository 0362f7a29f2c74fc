"""References that Kapitan will not replace, though they look like it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.model import Notice

from .scan import occurrences, occurrences_in_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model import Inventory

# What Kapitan takes for a reference when it looks through manifests, functions left out.
_REPLACED = re.compile(r"\w+:[\w\-.@=/:]+(\|\|.*)?")


def doubts(inventory: Inventory) -> tuple[Notice, ...]:
    """A notice for each reference that will stay in the manifests as it is."""
    return tuple(dict.fromkeys(_doubts(inventory)))


def _doubts(inventory: Inventory) -> Iterator[Notice]:
    for found in occurrences_in_keys(inventory):
        yield Notice(
            f"reference ?{{{found.text}}} stands in a key: only those in values are replaced",
            where=found.place,
        )
    for found in occurrences(inventory):
        if not _REPLACED.fullmatch(found.text):
            yield Notice(
                f"reference {f'?{{{found.text}}}'!r} holds characters that Kapitan does not take"
                " for a reference: it will not be replaced",
                where=found.place,
                refusal=True,
            )
