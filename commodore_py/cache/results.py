"""Work that is done once: its result is valid while every recorded question has its answer."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py import run_log
from commodore_py.adapters.jsonnet.captured import repeat
from commodore_py.errors import CommodoreError

from .digests import UNKNOWN, of_value, program_digest
from .questions import answer, describe_change
from .recorder import Recorder
from .records import NewResult, Record, name_of
from .remote import RemoteResults
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from .questions.base import View
    from .records import Answers
    from .roots import Roots
    from .signed import RemoteCache

log = logging.getLogger(__name__)

Made = TypeVar("Made")

# What records and results raise that have another form than this version gives them.
_UNKNOWN = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Work(Generic[Made]):
    """A piece of work whose result can be stored as bytes."""

    label: str
    """The target and the entry or filter, for messages."""
    where: str
    key: str | None
    """Covers everything that the work is given, see `key_of`; a record covers what it reads."""
    view: View
    make: Callable[[Recorder], tuple[Made, bytes]]
    restore: Callable[[bytes], Made | None]
    """The result from bytes; None if it does not fit what is there now."""


def key_of(*given: object) -> str | None:
    """The key of work by this program that is given these values; None if they are not plain."""
    return of_value((program_digest(), given))


@dataclass(frozen=True, slots=True)
class Hit:
    """A record whose answers are all the same now, and its result."""

    key: str
    answers: Answers
    record: Record
    result: bytes
    source: Store | RemoteResults


@dataclass(frozen=True, slots=True)
class ResultUse:
    """A piece of work that was needed: it is in the cache, or was done."""

    cached: bool


class CacheDiffers(CommodoreError):
    """A result in the cache that is not what compiling gives."""


class ResultCache:
    """Cached results of one run; every process has its own view of one store."""

    def __init__(
        self,
        folder: Path | None,
        roots: Roots,
        *,
        verify: bool = False,
        remote: RemoteCache | None = None,
    ) -> None:
        self.roots = roots
        self.answers: dict[str, str] = {}
        """Answers that all work of this process shares; see `View`."""
        self._local = Store(folder) if folder is not None else None
        self._remote = RemoteResults(remote) if folder is not None and remote is not None else None
        sources = (self._local, self._remote)
        self._sources = [source for source in sources if source is not None]
        self._verify = verify

    @property
    def in_store(self) -> bool:
        """True if results are stored."""
        return self._local is not None

    @property
    def in_use(self) -> bool:
        """True if results are taken from the cache."""
        return self._local is not None and not self._verify

    def hit(self, work: Work[Made]) -> Made | None:
        """The cached result, if there is a valid one; nothing is done otherwise."""
        hit = self._find(work)
        return self._restored(work, hit) if isinstance(hit, Hit) and self.in_use else None

    def cached(self, work: Work[Made]) -> Made:
        """The cached result, or else the work is done, recorded and stored."""
        hit = self._find(work)
        if isinstance(hit, Hit) and self.in_use:
            restored = self._restored(work, hit)
            if restored is not None:
                return restored
        recorder = Recorder(self.roots)
        if work.key is None:
            recorder.unseal("it is given values that are not plain data")
        made, result = work.make(recorder)
        if self._local is None:
            return made
        if work.key is None or recorder.unsealed:
            self.answers.clear()  # it may have written anything anywhere
            log.debug("%s: compiled, and not cached: %s", work.label, recorder.unsealed)
            return made
        traces = b"".join(recorder.traces)
        recorder.note_folders_in(traces)
        record = Record(self._local.add_blob(result), traces.decode("latin-1"))
        self._local.add(work.key, recorder.answers, record)
        if self._remote is not None:
            run_log.report(NewResult(work.key, recorder.answers, record))
        run_log.report(ResultUse(cached=False))
        if self._verify and isinstance(hit, Hit) and hit.result != result:
            raise CacheDiffers(
                f"{work.label}: the cached result differs from what compiling gives",
                where=work.where,
                hint="the cache is repaired; please report this, with what was changed before",
            )
        log.debug("%s: compiled: %s", work.label, hit if isinstance(hit, str) else "verified")
        return made

    def _find(self, work: Work[Any]) -> Hit | str:
        """The first valid record with its result, or why there is none."""
        changed, key = "", work.key
        if key is None:
            return "it has no key"
        for source in self._sources:
            for before in source.asked(key):
                answers = _answers(work.view, before)
                if answers is None:
                    continue
                for record in source.records(name_of(key, answers)):
                    result = source.blob(record.result)
                    if result is not None:
                        return Hit(key, answers, record, result, source)
                for question, now in answers.items():
                    if not changed and before[question] not in {now, UNKNOWN}:
                        changed = describe_change(question)
        return changed or "there is no cached result"

    def _restored(self, work: Work[Made], hit: Hit) -> Made | None:
        try:
            restored = work.restore(hit.result)
        except (*_UNKNOWN, CommodoreError) as error:
            log.debug("%s: the cached result cannot be used: %r", work.label, error)
            return None
        if restored is None:
            return None
        if self._local is not None and hit.source is not self._local:
            self._local.add_blob(hit.result)
            self._local.add(hit.key, hit.answers, hit.record)
        log.debug("%s: taken from the cache", work.label)
        run_log.report(ResultUse(cached=True))
        repeat(hit.record.traces.encode("latin-1"))
        return restored


def _answers(view: View, questions: Iterable[str]) -> Answers | None:
    """The answers to these questions; None if this version does not know one of them."""
    try:
        return {question: answer(question, view) for question in questions}
    except _UNKNOWN:
        return None


def cached_value(folder: Path | None, key: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - plain data
    """The value that was made for this key before; otherwise, it is made and stored.

    A value of None is not stored. Tuples come back as lists.
    """
    if folder is None:
        return make()
    store = Store(folder)
    content = store.record(key)
    if content is not None:
        return json.loads(content)
    value = make()
    if value is not None:
        store.set_record(key, json.dumps(value).encode())
    return value
