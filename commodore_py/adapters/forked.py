"""Work for several processes: results cross the border, inputs are there already."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from commodore_py import run_log
from commodore_py.errors import CommodoreError

from . import ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
Result = TypeVar("Result")

# Go's runtime does not survive a fork: a process that has loaded it does not fork.
_UNFIT = ("_gojsonnet", "_helm")


class WorkerDied(CommodoreError):
    """A worker ended without a result."""

    @classmethod
    def at(cls, item: object, code: int) -> WorkerDied:
        """Say what it worked on, and how it ended."""
        if code < 0:
            return cls(
                f"a worker process was killed at {item} ({signal.Signals(-code).name})",
                hint="if memory ran out: with --processes 1 less of it is needed",
            )
        return cls(f"a worker process died at {item} (status {code})")


def possible() -> bool:
    """Whether this process can be forked safely."""
    return sys.platform == "linux" and not any(name in sys.modules for name in _UNFIT)


def each(
    equip: Callable[[], Callable[[Item], Result]], items: Sequence[Item], processes: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with its result, in the order of being done.

    The workers are forks of this process: `items` may be anything, a result must be picklable.
    Every worker calls `equip` once and works with what that returns. Closing the iterator, an
    interruption included, ends all workers at once.
    """
    # Most runs have work for one process only, and these take their time.
    import multiprocessing
    from multiprocessing.connection import wait

    context = multiprocessing.get_context("fork")
    alive, parent = os.pipe()
    waiting = iter(range(len(items)))
    workers: dict[Any, tuple[BaseProcess, int]] = {}
    try:
        for index in itertools.islice(waiting, processes):
            ours, theirs = context.Pipe()
            of_worker = equip, items, theirs, (alive, parent)
            worker = context.Process(target=_work, args=of_worker, daemon=True)
            worker.start()
            theirs.close()
            ours.send(index)
            workers[ours] = (worker, index)
        while workers:
            ready: list[Any] = wait(list(workers))
            for connection in ready:
                process, done = workers.pop(connection)
                result = _received(connection, process, items[done])
                following = next(waiting, None)
                connection.send(following)
                if following is None:
                    process.join()
                else:
                    workers[connection] = (process, following)
                yield items[done], result
    finally:
        for process, _ in workers.values():
            process.kill()
            process.join()
        os.close(alive)
        os.close(parent)


def _received(connection: Any, worker: BaseProcess, item: object) -> Any:  # noqa: ANN401 - pipes have many types
    try:
        good, value, parcel = pickle.loads(connection.recv_bytes())  # noqa: S301 - from our own fork
    except (EOFError, OSError) as error:
        worker.join()
        raise WorkerDied.at(item, worker.exitcode or 0) from error
    run_log.merge(parcel)
    if not good:
        raise value
    return value


def _work(
    equip: Callable[[], Callable[[Item], Result]],
    items: Sequence[Item],
    connection: Any,  # noqa: ANN401 - pipes have many types
    lifeline: tuple[int, int],
) -> None:
    # An interruption goes to the whole group: the parent decides what happens.
    ending.forget()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent(*lifeline)
    log = run_log.in_worker()
    work: Callable[[Item], Result] | None = None
    while (index := connection.recv()) is not None:
        try:
            work = work or equip()
            answer = _packed(good=True, value=work(items[index]), log=log)
        except CommodoreError as error:
            answer = _packed(good=False, value=error, log=log)
        except Exception as error:  # noqa: BLE001 - at home, it is what it would be without workers
            answer = _packed(good=False, value=_portable(error), log=log)
        connection.send_bytes(answer)
    # Nothing of the parent may run here at the end: no clean-up, no flush of its files.
    os._exit(0)


def _portable(error: Exception) -> Exception:
    """An unexpected error as it can be sent: its traceback is a note of it."""
    import traceback  # hardly ever needed

    place = "".join(traceback.format_exception(error))
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own, made just now
    except Exception:  # noqa: BLE001 - not every class can be made from its arguments
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"in a worker process:\n{place}")
    return sent


def _packed(*, good: bool, value: object, log: run_log.WorkerLog) -> bytes:
    return pickle.dumps((good, value, log.take()), pickle.HIGHEST_PROTOCOL)


def _end_with_parent(alive: int, parent: int) -> None:
    """End when the parent does, however that happens: only it holds the other end of the pipe."""
    os.close(parent)

    def wait() -> None:
        os.read(alive, 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
