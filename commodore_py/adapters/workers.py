"""Threads for work that waits, and worker processes for work that is worth them.

Results cross the border of a process, inputs are there already. The workers are forks of this
process: Go's runtime does not survive a fork, so a process that has loaded it does not fork, and
whatever a worker needs is there without a copy.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from commodore_py import run_log
from commodore_py.errors import CommodoreError

from . import ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Worker:
    """The work of this process, if it is a worker."""

    work: Callable[[Any], Any]
    log: run_log.WorkerLog


def possible() -> bool:
    """Return whether this process can be forked safely."""
    return sys.platform == "linux" and "_gojsonnet" not in sys.modules


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], *, at_most: int
) -> tuple[Result, ...]:
    """The results in the order of the items; an error cancels what has not begun."""
    items = tuple(items)
    if len(items) < 2:  # noqa: PLR2004 - there is nothing to do in parallel
        return tuple(map(work, items))
    pool = ThreadPoolExecutor(min(at_most, len(items)))
    try:
        return tuple(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)


def each(
    work: Callable[[Item], Result], items: Sequence[Item], processes: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with its result, in the order of being done.

    Items and results must be picklable. Closing the iterator, an interruption included, ends all
    workers at once.
    """
    try:
        with pool(min(processes, len(items) or 1), _begin, work) as executor:
            futures = {executor.submit(_do, item): item for item in items}
            for future in as_completed(futures):
                result, log = future.result()
                run_log.merge(log)
                if isinstance(result, BaseException):
                    raise result
                yield futures[future], result
    except BrokenExecutor as error:
        raise CommodoreError(
            "a worker process was killed",
            hint="if memory ran out: with --processes 1 less of it is needed",
        ) from error


@contextmanager
def pool(count: int, begin: Callable[..., None], *arguments: object) -> Iterator[Executor]:
    """Processes beside this one, which begin with a function; they end at once with this block."""
    # These take their time, and most runs have work for one process only.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork has everything loaded, but Go does not survive one.
    context = multiprocessing.get_context("fork" if possible() else "spawn")
    executor = ProcessPoolExecutor(count, context, initializer=begin, initargs=arguments)
    try:
        yield executor
    finally:
        for worker in multiprocessing.active_children():
            worker.kill()
        executor.shutdown(cancel_futures=True)


def serve_parent() -> None:
    """Make this process a worker, which does not outlive its parent."""
    # An interruption goes to the whole group: the parent decides what happens.
    ending.forget()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _begin(work: Callable[[Any], Any]) -> None:
    serve_parent()
    _Worker.work, _Worker.log = work, run_log.in_worker()


def _do(item: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any item has any result
    try:
        result = _Worker.work(item)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        result = _portable(error)
    return result, _Worker.log.take()


def _portable(error: Exception) -> Exception:
    """An error that can be sent: some cannot be made again from their arguments."""
    if not isinstance(error, CommodoreError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - it was made here
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
