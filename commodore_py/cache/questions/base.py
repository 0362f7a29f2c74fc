"""The base of all questions, and the view that they are asked about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

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


@dataclass(frozen=True)
class Question:
    """One question; equal questions about the same inputs have equal answers."""

    about: str

    kind: ClassVar[str] = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.about}"

    @property
    def name(self) -> str:
        """Its subject, for people."""
        return self.about

    def ask(self, view: View) -> str:
        """The answer now, as a digest."""
        raise NotImplementedError

    def describe(self, roots: Roots) -> str:
        """For people: that the answer has changed."""
        raise NotImplementedError
