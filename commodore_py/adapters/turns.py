"""Threads that take turns: one of them computes, the others wait for programs.

Python computes in one thread at a time anyway. Threads that read and write small files pass its
lock to each other at every call, which costs more than the calls do. So there is no other thread
before one waits: a job of CI, all of whose objects are cached, takes 5 % less.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_turn = threading.Lock()
_here = threading.local()


@contextmanager
def taken() -> Iterator[None]:
    """Compute while no other thread does that takes turns."""
    _turn.acquire()
    _here.mine = True
    try:
        yield
    finally:
        if _here.mine:  # not if a signal came while it was waited for again
            _here.mine = False
            _turn.release()


@contextmanager
def passed_on() -> Iterator[None]:
    """Let another thread compute meanwhile, if this one has the turn."""
    if not getattr(_here, "mine", False):
        yield
        return
    work: _Work[object, object] | None = getattr(_here, "work", None)
    if work is not None:
        work.go_on_in_another_thread()
    _here.mine = False
    _turn.release()
    try:
        yield
    finally:
        _turn.acquire()
        _here.mine = True


@contextmanager
def alone(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock under which programs run: who waits for it must not have the turn."""
    if not lock.acquire(blocking=False):
        with passed_on():
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def in_parallel(
    work: Callable[[_Item], _Result], items: Iterable[_Item], *, at_most: int
) -> tuple[_Result, ...]:
    """Work on items in this thread, and in others while it waits; results are in their order."""
    return _Work(work, items, at_most).results()


class _Work(Generic[_Item, _Result]):
    """Items that threads take one after the other."""

    def __init__(
        self, work: Callable[[_Item], _Result], items: Iterable[_Item], at_most: int
    ) -> None:
        self._work = work
        self._waiting = deque(enumerate(items))
        self._at_most = at_most
        self._threads: list[threading.Thread] = []
        self._results: dict[int, _Result] = {}
        self._failures: list[BaseException] = []

    def results(self) -> tuple[_Result, ...]:
        try:
            self._go_on()
        finally:
            self._waiting.clear()
            for thread in self._threads:
                thread.join()
        for failure in self._failures:
            raise failure
        return tuple(self._results[number] for number in sorted(self._results))

    def go_on_in_another_thread(self) -> None:
        """Called by a thread that is about to wait."""
        if self._waiting and len(self._threads) < self._at_most - 1:
            thread = threading.Thread(target=self._go_on_unless_one_fails)
            with suppress(RuntimeError):  # there are too many: this one does all of it
                thread.start()
                self._threads.append(thread)

    def _go_on_unless_one_fails(self) -> None:
        try:
            self._go_on()
        except BaseException as failure:  # noqa: BLE001 - it is raised in the first thread
            self._failures.append(failure)
            self._waiting.clear()

    def _go_on(self) -> None:
        _here.work = self
        try:
            with taken():
                while self._waiting:
                    number, item = self._waiting.popleft()
                    self._results[number] = self._work(item)
        finally:
            _here.work = None
