"""Events of a run: spans for watchers, typed events for collectors; free without either.

A process has one log, which all of its threads report to: see ADR 2.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
EventKind = TypeVar("EventKind")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of work: an act, a stage, or one of many in a stage (`repository`, `target`)."""

    kind: str
    name: str
    of: str = ""
    """The kind of those that are counted in a stage."""
    total: int = 0
    """How many of them there are."""
    start: int = field(default_factory=time.monotonic_ns)


class Events:
    """The events of a run, by type and in the order of being reported."""

    def __init__(self) -> None:
        self._all: list[object] = []

    def add(self, event: object) -> None:
        """Keep one more."""
        self._all.append(event)

    def of(self, kind: type[EventKind]) -> tuple[EventKind, ...]:
        """All of one type."""
        return tuple(event for event in self._all if isinstance(event, kind))


class Watcher(Protocol):
    """Receives every span, in the thread that it ran in."""

    def started(self, span: Span) -> None:
        """Something begins."""

    def finished(self, span: Span) -> None:
        """Something has ended, well or not."""


# A context variable would be empty in every new thread.
_watchers: list[Watcher] = []
_collectors: list[Events] = []


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Hand all spans of the block to a watcher."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextmanager
def collecting() -> Iterator[Events]:
    """Collect all events of the block."""
    events = Events()
    _collectors.append(events)
    try:
        yield events
    finally:
        _collectors.remove(events)


def report(event: object) -> None:
    """Hand an event to everybody who collects: a frozen value of a type of its own."""
    for collector in tuple(_collectors):
        collector.add(event)


@contextmanager
def stage(name: str, *, of: str = "", total: int = 0, kind: str = "stage") -> Iterator[None]:
    """A stage of the work; if it does something `total` times, that is the kind to count."""
    span = Span(kind, name, of, total)
    for watcher in tuple(_watchers):
        watcher.started(span)
    try:
        yield
    finally:
        for watcher in tuple(_watchers):
            watcher.finished(span)


def item(kind: str, name: str) -> AbstractContextManager[None]:
    """One of the many things that a stage does."""
    return stage(name, kind=kind)


def act(
    name: str,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make a function one of the acts of a run."""
    return stage(name, kind="act")


class WorkerLog(Events):
    """Collects what happens in a worker process, to be sent home with its results."""

    def started(self, span: Span) -> None:
        """Not sent: it would come too late."""

    def finished(self, span: Span) -> None:
        """Keep it among the events."""
        self.add(span)

    def take(self) -> list[object]:
        """Spans and events since the last call."""
        taken, self._all = self._all, []
        return taken


def forget() -> None:
    """After a fork for work of its own: no one here receives anything."""
    _watchers.clear()
    _collectors.clear()


def in_worker() -> WorkerLog:
    """After a fork: the listeners are at home, and receive what is sent there."""
    log = WorkerLog()
    _watchers[:] = [log] if _watchers else []
    _collectors[:] = [log] if _collectors else []
    return log


def merge(sent: list[object]) -> None:
    """Hand on what happened in a worker."""
    for event in sent:
        if isinstance(event, Span):
            for watcher in tuple(_watchers):
                watcher.finished(event)
        else:
            report(event)
