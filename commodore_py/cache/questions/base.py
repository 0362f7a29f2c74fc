"""The base of all kinds of questions, and the view that they are answered from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import TargetViews
    from commodore_py.cache.roots import Roots


@dataclass(frozen=True, slots=True)
class View:
    """The current state of everything that one piece of work can read."""

    files: Files
    roots: Roots
    answers: dict[str, str]
    """Answers that are the same for all work of a run: each is looked up once."""
    targets: TargetViews | None = None
    target: str = ""
    references: Mapping[str, str] = field(default_factory=dict)
    offline: bool = False
    """Whether remotes must not be asked."""

    def once(self, key: str, find: Callable[[], str]) -> str:
        """An answer that is looked up once."""
        if key not in self.answers:
            self.answers[key] = find()
        return self.answers[key]

    @property
    def disk_only(self) -> bool:
        """True if no file that this run wrote elsewhere hides one on disk."""
        return not self.files.written and not self.files.made


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question; equal questions about the same inputs have equal answers."""

    name: str
    change: str
    """For people: that the answer has changed, with a place for what the question is about."""
    ask: Callable[[str, View], str]
    """The current answer for what a question is about, as a digest."""
    subject: Callable[[str], str] = str
    """For people: what a question is about."""

    def question(self, about: str) -> str:
        """A question in the one form that it has in records."""
        return f"{self.name} {about}"
