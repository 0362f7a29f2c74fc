"""The record of one piece of work: its questions, and a digest of each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .questions.base import Question, View
    from .roots import Roots


class Recorder:
    """Questions with digests of the answers, in order.

    A record is sealed while it has everything that the work depends on.
    """

    def __init__(self, roots: Roots) -> None:
        self.roots = roots
        self.answers: dict[Question, bytes] = {}
        self.traces: list[bytes] = []
        """What code printed meanwhile; printed again with a cached result."""
        self.unsealed = ""
        """Why the record is incomplete; empty while it is sealed."""
        self.steady = True
        """Whether the same answers give the same result."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions so far."""
        return tuple(self.answers)

    def note(self, question: Question, answer: bytes) -> None:
        """Record one answer."""
        if self.answers.setdefault(question, answer) != answer:
            self.unseal(f"{question.name} changed meanwhile")

    def ask(self, question: Question, view: View) -> bytes:
        """Ask a question, and record its answer."""
        answer = question.ask(view)
        self.note(question, answer)
        return answer

    def unseal(self, why: str, *, steady: bool = True) -> None:
        """Something was used that is not recorded; the first reason is reported."""
        self.unsealed = self.unsealed or why
        self.steady = self.steady and steady
