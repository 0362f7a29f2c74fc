"""Executors for long pieces of work: this process, processes beside it, or workers of Dask."""

from __future__ import annotations

from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from commodore_py import __version__, run_log
from commodore_py.errors import CommodoreError

from . import workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_SECONDS = 15.0

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Place:
    """Where work is done: in this process, in processes beside it, or by workers of Dask."""

    jobs: int
    """Pieces of work at a time; the scheduler decides for its own workers."""
    scheduler: str = ""
    """The address of a Dask scheduler."""

    @property
    def is_here(self) -> bool:
        """True if this process does the work, one piece after the other."""
        return self.jobs == 1 and not self.scheduler


@dataclass(frozen=True, slots=True)
class _Pool:
    """An executor, and how many pieces of work it does at a time."""

    executor: Executor
    size: int


@contextmanager
def _opened(place: Place) -> Iterator[_Pool]:
    if place.scheduler:
        with _scheduler(place.scheduler) as pool:
            yield pool
    else:
        with workers.pool(place.jobs, _begin) as executor:
            yield _Pool(executor, place.jobs)


def _begin() -> None:
    workers.serve_parent()
    run_log.forget()


@contextmanager
def _scheduler(address: str) -> Iterator[_Pool]:
    """The workers of a Dask scheduler, which starts the work of a lost worker again."""
    try:
        import distributed  # heavy, and for few users
    except ImportError as error:
        raise CommodoreError(
            "the program distributed is not installed",
            hint="install commodore-py with its extra fleet, here and on the workers",
        ) from error
    try:
        connect: Any = distributed.Client
        client = connect(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise CommodoreError(
            f"the Dask scheduler cannot be reached: {reason}",
            where=address,
            hint="start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
        ) from error
    try:
        size = sum(client.nthreads().values())
        if not size:
            raise CommodoreError(
                "the Dask scheduler has no workers",
                where=address,
                hint=f"start some: dask worker {address}",
            )
        _check_versions(client)
        yield _Pool(client.get_executor(pure=False), size)
    finally:
        client.close()


def _version() -> str:
    return __version__


def _check_versions(client: Any) -> None:  # noqa: ANN401 - has no types
    hint = f"install version {__version__} on all machines: they exchange its objects"
    try:
        versions = client.run(_version)
    except Exception as error:
        raise CommodoreError(f"the workers cannot load commodore-py: {error}", hint=hint) from error
    for worker, version in versions.items():
        if version != __version__:
            raise CommodoreError(
                f"a worker has version {version} of commodore-py", where=worker, hint=hint
            )


def each(
    place: Place,
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    started: Callable[[Task], None],
) -> Iterator[tuple[Task, Result | BaseException]]:
    """Each task with its result or error, in the order of being done.

    No more is handed out than can be done at a time: what is not, can still be left out. A worker
    process that dies takes its pool along; tasks that were running are then repeated one by one, so
    that only the task that kills its worker fails.
    """
    if place.is_here:
        yield from _one_by_one(work, tasks, started)
        return
    waiting = iter(tasks)
    has_more = True
    while has_more:
        lost: list[Task] = []
        with _opened(place) as pool:
            running: dict[Future[Result], Task] = {}
            while True:
                for task in islice(waiting, 0 if lost else pool.size - len(running)):
                    started(task)
                    try:
                        running[pool.executor.submit(work, task)] = task
                    except BrokenExecutor:  # while a result was being shown
                        lost.append(task)
                        break
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    ended, error = running.pop(future), future.exception()
                    if isinstance(error, BrokenExecutor):
                        lost.append(ended)
                    else:
                        yield ended, error or future.result()
        has_more = bool(lost)
        for task in lost:
            with workers.pool(1, _begin) as executor:
                future = executor.submit(work, task)
                yield task, future.exception() or future.result()


def _one_by_one(
    work: Callable[[Task], Result], tasks: Iterable[Task], started: Callable[[Task], None]
) -> Iterator[tuple[Task, Result | BaseException]]:
    for task in tasks:
        started(task)
        outcome: Result | BaseException
        try:
            outcome = work(task)
        except Exception as error:  # noqa: BLE001 - whoever has the task raises it
            outcome = error
        yield task, outcome
