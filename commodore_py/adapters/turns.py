"""Threads that take turns: one of them computes, the others wait for programs.

Python computes in one thread at a time anyway. Threads that read and write small files pass its
lock to each other at every call, which costs more than the calls do.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_turn = threading.Lock()
_here = threading.local()


@contextmanager
def taken() -> Iterator[None]:
    """Compute while no other thread does that takes turns."""
    with _turn:
        _here.mine = True
        try:
            yield
        finally:
            _here.mine = False


@contextmanager
def passed_on() -> Iterator[None]:
    """Let another thread compute meanwhile, if this one has the turn."""
    if not getattr(_here, "mine", False):
        yield
        return
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
    with passed_on():
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
