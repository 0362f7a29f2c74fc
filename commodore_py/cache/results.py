"""Work that is done once: its result comes from the cache while everything it reads is the same."""

from __future__ import annotations

import marshal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from commodore_py.adapters.jsonnet.captured import repeat

from .digests import BY_VALUE, ValueDigests
from .questions.table import answer
from .recorder import Recorder
from .records import Found, Missing, Records
from .store import Store
from .verdicts import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from .questions.base import View
    from .roots import Roots
    from .verdicts import Label, Outcome

Made = TypeVar("Made")
Made_co = TypeVar("Made_co", covariant=True)


class NeverCached(NamedTuple):
    """Why a kind of work has no key."""

    why: str


class Work(Protocol[Made_co]):
    """A piece of work whose result can be stored as bytes."""

    @property
    def label(self) -> Label:
        """Its name in verdicts."""

    def key(self) -> str | NeverCached:
        """The key for everything that the work is given."""

    def view(self) -> View:
        """What it would read now."""

    def run(self) -> Made_co:
        """Do it."""

    def record(self, recorder: Recorder) -> tuple[Made_co, bytes | None]:
        """Do it, and record what it reads; its result also as bytes if these can be applied."""

    def restore(self, stored: bytes) -> Made_co | None:
        """The result from bytes; None if it does not fit what is there now."""

    def difference(self, stored: bytes, made: bytes | None) -> str:
        """What differs between two results; empty if nothing does."""


class ResultCache:
    """Cached results of one run, and what became of each piece of work.

    Every process has its own view of one store.
    """

    def __init__(self, folder: Path | None, roots: Roots, *, verify: bool = False) -> None:
        self.roots = roots
        self.values = ValueDigests(roots)
        self.known: dict[str, bytes] = {}
        self.constant: dict[str, bytes] = {}
        """Answers that all work of this process shares; see `View`."""
        self._records = Records(Store(folder)) if folder is not None else None
        self._verify = verify
        self._verdicts: list[Verdict] = []

    @property
    def in_use(self) -> bool:
        """Whether results are taken from the cache."""
        return self._records is not None and not self._verify

    def take_verdicts(self) -> tuple[Verdict, ...]:
        """What became of work since the last time."""
        taken, self._verdicts = tuple(self._verdicts), []
        return taken

    def hit(self, work: Work[Made]) -> Made | None:
        """The cached result, if there is a valid one; nothing is done otherwise."""
        key = work.key() if self.in_use else ""
        if self._records is None or not key or isinstance(key, NeverCached):
            return None
        found = self._records.find(key, partial(answer, work.view()))
        return self._restored(work, found) if isinstance(found, Found) else None

    def cached(self, work: Work[Made]) -> Made:
        """The cached result, or else the work is done, recorded and stored."""
        if self._records is None:
            return work.run()
        key = work.key()
        if isinstance(key, NeverCached):
            self._note(work, "never", key.why)
            made = work.run()
            # It may have written anything anywhere.
            self.known.clear()
            return made
        found = self._records.find(key, partial(answer, work.view()))
        if isinstance(found, Found) and not self._verify:
            restored = self._restored(work, found)
            if restored is not None:
                return restored
        return self._done(work, key, found, self._records)

    def _done(self, work: Work[Made], key: str, found: Found | Missing, records: Records) -> Made:
        recorder = Recorder(self.roots)
        made, stored = work.record(recorder)
        if stored is None:
            recorder.unseal("it takes files away")
        if isinstance(found, Found):
            differing = work.difference(_unpacked(found.result)[0], stored)
            self._note(work, "differs" if differing else "equal", differing, recorder)
            records.forget(key, found)
        if recorder.unsealed or stored is None:
            self.known.clear()  # as above
            self._note(work, "never", recorder.unsealed, recorder)
            return made
        traces = self.roots.portable_text(b"".join(recorder.traces))
        records.keep(key, recorder, marshal.dumps((stored, traces), BY_VALUE))
        if isinstance(found, Missing):
            question = found.question
            why = question.describe(self.roots) if question else "there is no cached result"
            self._note(work, "compiled", why, recorder)
        return made

    def _restored(self, work: Work[Made], found: Found) -> Made | None:
        stored, traces = _unpacked(found.result)
        restored = work.restore(stored)
        if restored is not None:
            self._verdicts.append(Verdict(work.label, "found", questions=found.questions))
            repeat(self.roots.local_text(traces))
        return restored

    def _note(
        self, work: Work[Made], outcome: Outcome, why: str, recorder: Recorder | None = None
    ) -> None:
        steady = recorder is None or recorder.steady
        questions = recorder.questions if recorder else ()
        self._verdicts.append(Verdict(work.label, outcome, why, questions, steady))


def _unpacked(content: bytes) -> tuple[bytes, bytes]:
    stored, traces = marshal.loads(content)  # noqa: S302 - the store gives what was put there
    return stored, traces
