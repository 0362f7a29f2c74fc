"""Work that is done once: its result is valid while every recorded question has its answer."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py import run_log
from commodore_py.adapters.jsonnet.captured import repeat
from commodore_py.errors import CommodoreError

from .questions import answer, parse
from .recorder import Recorder
from .remote import RemoteResults, holds_secret
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.cache.signed import RemoteCache

    from .questions.base import View
    from .roots import Roots

log = logging.getLogger(__name__)

Made = TypeVar("Made")

# As many as a component has test cases: they all have one key, and are compiled in turns.
_MOST_RECORDS = 64


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
class Record:
    """A result, and what it depends on."""

    answers: Mapping[str, str]
    result: str
    traces: str


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
        self._store = Store(folder) if folder is not None else None
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
        found = self._find(self._store, work)
        return self._restored(work, *found) if isinstance(found, tuple) else None

    def cached(self, work: Work[Made]) -> Made:
        """The cached result, or else the work is done, recorded and stored."""
        if self._store is None:
            return work.make(Recorder(self.roots))[0]
        found = self._find(self._store, work)
        if isinstance(found, tuple) and not self._verify:
            restored = self._restored(work, *found)
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
        records = [old for old in _records(self._store, work.key) if old.answers != record.answers]
        if isinstance(found, tuple):
            records = [old for old in records if old != found[0]]
        _set_records(self._store, work.key, (record, *records))
        if self._remote is not None and self._remote.is_writable:
            content = json.dumps(asdict(record)).encode()
            if not holds_secret(result) and not holds_secret(content):
                self._store.offer(work.key, content)
        run_log.report(ResultUse(cached=False))
        if self._verify and isinstance(found, tuple) and found[1] != result:
            raise CacheDiffers(
                f"{work.label}: the cached result differs from what compiling gives",
                where=work.where,
                hint="the cache is repaired; please report this, with what was changed before",
            )
        log.debug("%s: compiled: %s", work.label, found if isinstance(found, str) else "verified")
        return made

    def not_cached(self, label: str, why: str) -> None:
        """Report work that is never cached: it may have written anything anywhere."""
        self.answers.clear()
        log.debug("%s: compiled, and not cached: %s", label, why)

    def _find(self, store: Store, work: Work[Any]) -> tuple[Record, bytes] | str:
        """The first valid record with its result, or why there is none."""
        reasons = []
        for record, is_remote in self._records(store, work.key):
            try:
                changed = next(
                    (
                        stored
                        for stored, old in record.answers.items()
                        if answer(work.view, stored) != old
                    ),
                    None,
                )
            except ValueError:  # a kind of question that this version does not know
                continue
            if changed is not None:
                reasons.append(parse(changed).describe(self.roots))
                continue
            result = store.blob(record.result)
            if is_remote and self._remote is not None:
                result = result or self._remote.blob(record.result)
                if result is not None:
                    store.add_blob(result)
                    _set_records(store, work.key, (record, *_records(store, work.key)))
            if result is not None:
                return record, result
        return reasons[0] if reasons else "there is no cached result"

    def _records(self, store: Store, key: str) -> Iterator[tuple[Record, bool]]:
        """The records of this machine, and then those that others share."""
        for record in _records(store, key):
            yield record, False
        for content in self._remote.records(key) if self._remote is not None else ():
            with suppress(TypeError, ValueError):  # of another version
                yield Record(**json.loads(content)), True

    def _restored(self, work: Work[Made], record: Record, result: bytes) -> Made | None:
        restored = work.restore(result)
        if restored is not None:
            log.debug("%s: taken from the cache", work.label)
            run_log.report(ResultUse(cached=True))
            repeat(record.traces.encode("latin-1"))
        return restored


def _records(store: Store, key: str) -> list[Record]:
    """The records of a key; the newest first."""
    content = store.record(key)
    try:
        return [] if content is None else [Record(**one) for one in json.loads(content)]
    except (TypeError, ValueError):  # of another version
        return []


def _set_records(store: Store, key: str, records: Iterable[Record]) -> None:
    content = json.dumps([asdict(one) for one in tuple(records)[:_MOST_RECORDS]])
    store.set_record(key, content.encode())


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
