"""What runs, and how far it is: told to whoever watches. While nobody does, it costs nothing."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_NOTHING = nullcontext()


class Span:
    """A piece of work: what it is, where and when it ran. Times are nanoseconds of one clock.

    `kind` is `act`, `stage`, one of many in a stage (`repository`, `target`), or a detail
    (`program`). A stage may have a `total`: how many there are of its kind `of`. `cpu` is that of
    this process and of programs that ended meanwhile; None where others ran beside it.
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


class Watcher(Protocol):
    """Is told of every span, by whichever thread it ran in."""

    @property
    def deep(self) -> bool:
        """Whether it wants details and CPU times, too."""

    def begun(self, span: Span) -> None:
        """Something begins."""

    def done(self, span: Span) -> None:
        """Something has ended, well or not."""


# Like the handlers of logging: one list for all threads. A change replaces it.
_watchers: tuple[Watcher, ...] = ()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Tell a watcher of everything that runs meanwhile."""
    global _watchers  # noqa: PLW0603 - see there
    _watchers = (*_watchers, watcher)
    try:
        yield
    finally:
        _watchers = tuple(one for one in _watchers if one is not watcher)


def stage(name: str, *, of: str = "", total: int = 0) -> AbstractContextManager[None]:
    """A stage of the work; if it does something `total` times, that is the kind to count."""
    return _Running("stage", name, of=of, total=total) if _watchers else _NOTHING


def item(kind: str, name: str) -> AbstractContextManager[None]:
    """One of the many things that a stage does."""
    return _Running(kind, name) if _watchers else _NOTHING


def detail(kind: str, name: str, details: str = "") -> AbstractContextManager[None]:
    """A piece of work that only who looks closely wants to see."""
    return _Running(kind, name, details=details) if deep() else _NOTHING


def act(
    name: str,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make a function one of the acts of a run."""

    def wrap(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def watched(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with _Running("act", name) if _watchers else _NOTHING:
                return function(*args, **kwargs)

        return watched

    return wrap


def deep() -> bool:
    """Whether anybody wants details."""
    return any(watcher.deep for watcher in _watchers)


class Parcel:
    """What ran in a worker process, to be sent home with its results."""

    def __init__(self, *, deep: bool) -> None:
        self.deep = deep
        self._spans: list[Span] = []

    def begun(self, span: Span) -> None:
        """Not told: it would come too late."""

    def done(self, span: Span) -> None:
        """Keep it."""
        self._spans.append(span)

    def take(self) -> list[Span]:
        """What ran since the last time."""
        taken, self._spans = self._spans, []
        return taken


def in_worker() -> Parcel:
    """After a fork: the watchers are at home, and read what the parcel brings."""
    global _watchers  # noqa: PLW0603 - see there
    parcel = Parcel(deep=deep())
    _watchers = (parcel,) if _watchers else ()
    return parcel


def came_home(spans: Iterable[Span]) -> None:
    """Tell the watchers what ran in a worker."""
    for span in spans:
        for watcher in _watchers:
            watcher.done(span)


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
        for watcher in _watchers:
            watcher.begun(self._span)
        if deep() and threading.current_thread() is threading.main_thread():
            self._cpu = _cpu()

    def __exit__(self, *_: object) -> None:
        if self._cpu is not None:
            self._span.cpu = _cpu() - self._cpu
        self._span.end = time.monotonic_ns()
        for watcher in _watchers:
            watcher.done(self._span)


def _cpu() -> int:
    import resource  # noqa: PLC0415 - only for who wants to know

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)
