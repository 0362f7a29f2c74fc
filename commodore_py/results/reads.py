"""The record of one piece of work: what it asked, and what it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .roots import Roots


class Reads:
    """Questions with a mark of each answer, in the order in which they were asked.

    A question is one letter for its kind and then what it is about; paths are portable.
    """

    def __init__(self, roots: Roots) -> None:
        self.roots = roots
        self.answers: dict[str, bytes] = {}
        self.unsealed = ""
        """Why the record is not all that the work looked at; empty if it is."""

    def note(self, kind: str, about: str, answer: bytes) -> None:
        """One more answer."""
        if self.answers.setdefault(kind + about, answer) != answer:
            self.unseal(f"{about.partition(':')[2] or about} changed meanwhile")

    def note_path(self, kind: str, path: str, answer: bytes) -> None:
        """One more answer about a path."""
        self.note(kind, self.roots.portable(path), answer)

    def unseal(self, why: str) -> None:
        """Something looked at what is not recorded; the first reason is told."""
        self.unsealed = self.unsealed or why
