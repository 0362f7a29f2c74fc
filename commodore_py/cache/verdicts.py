"""What became of pieces of work: a cache hit, a miss, never cached, or compared; and why."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal, NamedTuple

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .questions.base import Question
    from .roots import Roots

log = logging.getLogger(__name__)

Outcome = Literal["found", "compiled", "never", "equal", "differs"]

_TEXTS: dict[Outcome, str] = {
    "found": "taken from the cache",
    "compiled": "compiled",
    "never": "compiled, and not cached",
    "equal": "compiled: the cache holds the same",
    "differs": "the cache holds another result",
}


class Label(NamedTuple):
    """The name of a piece of work: of an entry, or of a filter."""

    target: str
    entry: str
    where: str


class Verdict(NamedTuple):
    """What became of one piece of work."""

    label: Label
    outcome: Outcome
    why: str = ""
    questions: tuple[Question, ...] = ()
    """What it depends on, as far as that is known; paths are portable."""
    steady: bool = True
    """Whether the same inputs give the same result, as far as that is known."""

    def __str__(self) -> str:
        text = f"{self.label.target}: {self.label.entry}: {_TEXTS[self.outcome]}"
        return f"{text}: {self.why}" if self.why else text


class Verdicts(NamedTuple):
    """What became of all work of a stage, with the folders that paths in questions start from."""

    all: tuple[Verdict, ...]
    roots: Roots


def explain(verdicts: Iterable[Verdict]) -> None:
    """Log one line for each piece of work, by target, with `-vv`."""
    if log.isEnabledFor(logging.DEBUG):
        for one in sorted(verdicts, key=lambda verdict: verdict.label.target):
            log.debug("%s", one)


class CacheDiffers(CommodoreError):
    """A result in the cache that is not what compiling gives."""


def refuse_differences(verdicts: Iterable[Verdict]) -> None:
    """With COMMODORE_VERIFY_CACHE, a result that would have been wrong is an error."""
    raise_collected(
        (
            CacheDiffers(
                f"{one.label.target}: {one.why} differs from the cached one",
                where=one.label.where,
                hint="the cache is repaired; please report this, with what was changed before",
            )
            for one in verdicts
            if one.outcome == "differs"
        ),
        "the cache holds other results than compiling gives",
    )
