"""Work that is done once: its result is valid while every recorded question has its answer."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py import run_log
from commodore_py.adapters.jsonnet.captured import repeat
from commodore_py.errors import CommodoreError

from .digests import digest
from .questions import answer, parse
from .recorder import Recorder
from .records import RECENT, NewResult, Record, add_record, records_of
from .remote import RemoteResults
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from commodore_py.cache.signed import RemoteCache

    from .questions.base import View
    from .roots import Roots

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
    key: str
    """Covers everything that the work is given; a record covers what it reads."""
    view: View
    make: Callable[[Recorder], tuple[Made, bytes]]
    restore: Callable[[bytes], Made | None]
    """The result from bytes; None if it does not fit what is there now."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record whose answers are all the same now, and its result."""

    record: Record
    result: bytes
    is_recent: bool
    """Whether both are where the next run of this cluster looks first."""


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
        cluster: str = "",
        verify: bool = False,
        remote: RemoteCache | None = None,
    ) -> None:
        self.roots = roots
        self.answers: dict[str, str] = {}
        """Answers that all work of this process shares; see `View`."""
        self._store = Store(folder) if folder is not None else None
        self._cluster = cluster
        self._verify = verify
        self._remote = RemoteResults(remote) if remote is not None else None

    @property
    def in_store(self) -> bool:
        """Whether results are stored."""
        return self._store is not None

    @property
    def in_use(self) -> bool:
        """Whether results are taken from the cache."""
        return self._store is not None and not self._verify

    def hit(self, work: Work[Made]) -> Made | None:
        """The cached result, if there is a valid one; nothing is done otherwise."""
        if self._store is None or self._verify:
            return None
        hit = self._find(self._store, work)
        return self._restored(self._store, work, hit) if isinstance(hit, Hit) else None

    def cached(self, work: Work[Made]) -> Made:
        """The cached result, or else the work is done, recorded and stored."""
        if self._store is None:
            return work.make(Recorder(self.roots))[0]
        hit = self._find(self._store, work)
        if isinstance(hit, Hit) and not self._verify:
            restored = self._restored(self._store, work, hit)
            if restored is not None:
                return restored
        recorder = Recorder(self.roots)
        made, result = work.make(recorder)
        if recorder.unsealed:
            self.not_cached(work.label, recorder.unsealed)
            return made
        traces = b"".join(recorder.traces)
        recorder.note_folders_in(traces)
        record = Record(recorder.answers, self._store.add_blob(result), traces.decode("latin-1"))
        keys = self._keys(work.key)
        for key in keys:
            wrong = hit.record if isinstance(hit, Hit) else None
            add_record(self._store, key, record, instead_of=wrong)
        if self._remote is not None:
            run_log.report(NewResult(keys, record))
        run_log.report(ResultUse(cached=False))
        if self._verify and isinstance(hit, Hit) and hit.result != result:
            raise CacheDiffers(
                f"{work.label}: the cached result differs from what compiling gives",
                where=work.where,
                hint="the cache is repaired; please report this, with what was changed before",
            )
        log.debug("%s: compiled: %s", work.label, hit if isinstance(hit, str) else "verified")
        return made

    def not_cached(self, label: str, why: str) -> None:
        """Report work that is never cached: it may have written anything anywhere."""
        self.answers.clear()
        log.debug("%s: compiled, and not cached: %s", label, why)

    def _keys(self, key: str) -> tuple[str, ...]:
        """Where the records of a key are: first those of this cluster, then those of all.

        Clusters with the same components have the same keys, and there may be hundreds.
        """
        return (digest(f"{key} {self._cluster}".encode()), key) if self._cluster else (key,)

    def _find(self, store: Store, work: Work[Any]) -> Hit | str:
        """The first valid record with its result, or why there is none."""
        reasons = []
        for record, is_recent in self._records(store, work.key):
            try:
                changed = next(
                    (
                        stored
                        for stored, old in record.answers.items()
                        if answer(work.view, stored) != old
                    ),
                    None,
                )
            except _UNKNOWN:  # a kind of question that this version does not know
                continue
            if changed is not None:
                reasons.append(parse(changed).describe(self.roots))
                continue
            result = store.blob(record.result)
            if result is not None:
                return Hit(record, result, is_recent)
            result = self._remote.blob(record.result) if self._remote is not None else None
            if result is not None:
                return Hit(record, result, is_recent=False)
        return reasons[0] if reasons else "there is no cached result"

    def _records(self, store: Store, key: str) -> Iterator[tuple[Record, bool]]:
        """The records of this machine, and then those that others share."""
        keys = self._keys(key)
        for number, record in enumerate(records_of(store, keys[0])):
            yield record, number < RECENT
        for shared in keys[1:]:
            for record in records_of(store, shared):
                yield record, False
        if self._remote is not None:
            for name in keys:
                for record in self._remote.records(name):
                    yield record, False

    def _restored(self, store: Store, work: Work[Made], hit: Hit) -> Made | None:
        try:
            restored = work.restore(hit.result)
        except (*_UNKNOWN, CommodoreError) as error:
            log.debug("%s: the cached result cannot be used: %r", work.label, error)
            return None
        if restored is None:
            return None
        if not hit.is_recent:
            store.add_blob(hit.result)
            add_record(store, self._keys(work.key)[0], hit.record)
        log.debug("%s: taken from the cache", work.label)
        run_log.report(ResultUse(cached=True))
        repeat(hit.record.traces.encode("latin-1"))
        return restored


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
