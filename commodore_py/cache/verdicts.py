"""What became of pieces of work: a cache hit, a miss, never cached, or compared; and why."""

from __future__ import annotations

import glob
import logging
import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.lib import LIBRARIES

from .questions.files import Expansion, PathQuestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from commodore_py.run_log import Events

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


class Tally(NamedTuple):
    """How many results there are of each outcome."""

    found: int = 0
    equal: int = 0
    compiled: int = 0
    never: int = 0


def tally(events: Events) -> Tally:
    """How many results of each outcome there were in a run."""
    outcomes: list[str] = [one.outcome for verdicts in events.of(Verdicts) for one in verdicts.all]
    return Tally(*map(outcomes.count, ("found", "equal", "compiled", "never")))


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


def paths_outside(events: Events, root: Path) -> Iterator[str]:
    """Files and folders elsewhere that code read, by their absolute paths."""
    ours = (f"{root}/", f"{LIBRARIES.parent}/")
    for path, is_pattern in _paths_read(events):
        if not f"{path}/".startswith(ours) and not is_pattern:
            yield path


def reads_one_of(files: Collection[str], events: Events, root: Path) -> str:
    """One of these files at the top of a folder that code may have read; empty if none."""
    if not files:
        return ""
    top = str(root)
    for path, is_pattern in _paths_read(events):
        matches = is_pattern and os.path.dirname(path) == top  # noqa: PTH120 - many
        if path in files or path == top or matches:
            return path
    return ""


def _paths_read(events: Events) -> Iterator[tuple[str, bool]]:
    """Every absolute path that code read or tested, and whether it is a pattern."""
    for verdicts in events.of(Verdicts):
        # In their order, so that the same one is reported each time.
        questions = {question: None for verdict in verdicts.all for question in verdict.questions}
        for question in questions:
            if isinstance(question, PathQuestion):
                path = os.path.normpath(verdicts.roots.absolute(question.about))
                yield path, isinstance(question, Expansion) and glob.has_magic(path)
