"""Events of a run: spans for watchers, typed events for collectors; free without either.

A process has one log, which all of its threads report to: see ADR 2.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
EventKind = TypeVar("EventKind")

_NOTHING = nullcontext()


class Span:
    """A piece of work: what it is, where and when it ran. Times are nanoseconds of one clock.

    `kind` is `act`, `stage`, one of many in a stage (`repository`, `target`), or a detail
    (`program`). A stage may have a `total`: how many there are of its kind `of`. `cpu` is that of
    this process and of programs that ended in the meantime; None where others ran beside it.
    """

    # No dataclass: those take a while to define, and every run pays for this one.
    __slots__ = (
        "cpu",
        "details",
        "end",
        "kind",
        "name",
        "of",
        "process",
        "start",
        "thread",
        "total",
    )

    def __init__(
        self,
        kind: str,
        name: str,
        start: int,
        process: int,
        thread: int,
        *,
        total: int = 0,
        of: str = "",
        details: str = "",
        end: int = 0,
        cpu: int | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.start = start
        self.process = process
        self.thread = thread
        self.total = total
        self.of = of
        self.details = details
        self.end = end
        self.cpu = cpu


class Events:
    """The events of a run, by type and in the order of being reported."""

    def __init__(self) -> None:
        self._all: list[object] = []

    def add(self, event: object) -> None:
        """Keep one more."""
        self._all.append(event)

    def of(self, kind: type[EventKind]) -> tuple[EventKind, ...]:
        """All of one type."""
        return tuple(event_kind for event_kind in self._all if isinstance(event_kind, kind))


class Watcher(Protocol):
    """Receives every span, in the thread that it ran in."""

    @property
    def deep(self) -> bool:
        """True if it wants details and CPU times, too."""

    def started(self, span: Span) -> None:
        """Something begins."""

    def finished(self, span: Span) -> None:
        """Something has ended, well or not."""


class _Listeners:
    """Who receives what; a change replaces it, as threads may be reporting."""

    __slots__ = ("collectors", "deep", "watchers")

    def __init__(
        self, watchers: tuple[Watcher, ...] = (), collectors: tuple[Events, ...] = ()
    ) -> None:
        self.watchers = watchers
        self.collectors = collectors
        self.deep = any(watcher.deep for watcher in watchers)


_listeners = _Listeners()


def _listen(watchers: tuple[Watcher, ...], collectors: tuple[Events, ...]) -> None:
    """The one place that decides who receives what happens."""
    global _listeners  # noqa: PLW0603 - a context variable would be empty in every new thread
    _listeners = _Listeners(watchers, collectors)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Hand all spans of the block to a watcher."""
    _listen((*_listeners.watchers, watcher), _listeners.collectors)
    try:
        yield
    finally:
        left = tuple(other for other in _listeners.watchers if other is not watcher)
        _listen(left, _listeners.collectors)


@contextmanager
def collecting() -> Iterator[Events]:
    """Collect all events of the block."""
    events = Events()
    _listen(_listeners.watchers, (*_listeners.collectors, events))
    try:
        yield events
    finally:
        left = tuple(collector for collector in _listeners.collectors if collector is not events)
        _listen(_listeners.watchers, left)


def report(event: object) -> None:
    """Hand an event to everybody who collects: a frozen value of a type of its own."""
    for collector in _listeners.collectors:
        collector.add(event)


def stage(name: str, *, of: str = "", total: int = 0) -> AbstractContextManager[None]:
    """A stage of the work; if it does something `total` times, that is the kind to count."""
    return _Running("stage", name, of=of, total=total) if _listeners.watchers else _NOTHING


def item(kind: str, name: str) -> AbstractContextManager[None]:
    """One of the many things that a stage does."""
    return _Running(kind, name) if _listeners.watchers else _NOTHING


def detail(kind: str, name: str, details: str = "") -> AbstractContextManager[None]:
    """A piece of work that only deep watchers receive."""
    return _Running(kind, name, details=details) if _listeners.deep else _NOTHING


def act(
    name: str,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make a function one of the acts of a run."""

    def wrap(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def watched(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with _Running("act", name) if _listeners.watchers else _NOTHING:
                return function(*args, **kwargs)

        return watched

    return wrap


def deep() -> bool:
    """Return whether any watcher wants details."""
    return _listeners.deep


class Parcel:
    """Events in a worker process during one piece of work."""

    __slots__ = ("events", "spans")

    def __init__(self, spans: list[Span], events: list[object]) -> None:
        self.spans = spans
        self.events = events


class WorkerLog(Events):
    """Collects what happens in a worker process, to be sent home with its results."""

    def __init__(self, *, deep: bool) -> None:
        super().__init__()
        self.deep = deep
        self._spans: list[Span] = []

    def started(self, span: Span) -> None:
        """Not sent: it would come too late."""

    def finished(self, span: Span) -> None:
        """Keep it."""
        self._spans.append(span)

    def take(self) -> Parcel:
        """Events since the last call."""
        taken = Parcel(self._spans, self._all)
        self._spans, self._all = [], []
        return taken


def forget() -> None:
    """After a fork for work of its own: no one here receives anything."""
    _listen((), ())


def in_worker() -> WorkerLog:
    """After a fork: the listeners are at home, and receive what parcels bring."""
    log = WorkerLog(deep=_listeners.deep)
    _listen((log,) if _listeners.watchers else (), (log,) if _listeners.collectors else ())
    return log


def merge(parcel: Parcel) -> None:
    """Hand on what happened in a worker."""
    for span in parcel.spans:
        for watcher in _listeners.watchers:
            watcher.finished(span)
    for event in parcel.events:
        report(event)


class _Running:
    """A span while it runs."""

    __slots__ = ("_cpu", "_span")

    def __init__(
        self, kind: str, name: str, *, of: str = "", total: int = 0, details: str = ""
    ) -> None:
        place = os.getpid(), threading.get_native_id()
        begun = time.monotonic_ns()
        self._span = Span(kind, name, begun, *place, total=total, of=of, details=details)
        self._cpu: int | None = None

    def __enter__(self) -> None:
        for watcher in _listeners.watchers:
            watcher.started(self._span)
        if _listeners.deep and threading.current_thread() is threading.main_thread():
            self._cpu = _cpu()

    def __exit__(self, *_: object) -> None:
        if self._cpu is not None:
            self._span.cpu = _cpu() - self._cpu
        self._span.end = time.monotonic_ns()
        for watcher in _listeners.watchers:
            watcher.finished(self._span)


def _cpu() -> int:
    import resource  # only for deep watchers

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)
