"""Work in child processes: each is a fork of a server that has everything loaded.

A compile uses the log, the standard streams and the locks of its process, and Go does not survive a
fork. So the daemon itself compiles nothing and reads no content.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import multiprocessing
import os
import pickle
import signal
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from multiprocessing import forkserver
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py import run_log
from commodore_py.adapters import ending, time_limits, workers
from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli.output import log, streams
from commodore_py.errors import CommodoreError

from .failures import Crashed, Lost

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from commodore_py.adapters.time_limits import TimeLimits

    Report: TypeAlias = Callable[[dict[str, Any]], None]

_MOST_RUNNING = 64
_PATIENCE = 5.0
"""Seconds that a process has to end its programs."""
_GOGC = "400"
"""As for `catalog compile`: see `restart.py`."""


@dataclass(frozen=True, slots=True)
class _Order:
    """Work to do in a child process."""

    work: str
    """`module.function`: the daemon itself does without everything that these import."""
    arguments: tuple[Any, ...]
    limits: TimeLimits
    secrets: tuple[str, ...]
    """Values that are masked in everything that it reports."""


class Processes:
    """Starts child processes, and ends them."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        os.environ.setdefault("GOGC", _GOGC)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["commodore_py.serve.work"])
        self._threads = ThreadPoolExecutor(_MOST_RUNNING, thread_name_prefix="child")
        self._threads.submit(forkserver.ensure_running)  # it takes a while to load everything
        self._secrets = secrets
        self._running: set[asyncio.Task[Any]] = set()

    async def run(
        self, work: str, *arguments: Any, seconds: float, report: Report | None = None
    ) -> Any:
        """Do some work in a process of its own; cancelling this ends the process.

        What it logs is reported as it happens, in the thread of the event loop.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - this is a coroutine
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        receiver, sender = self._context.Pipe(duplex=False)
        order = _Order(work, arguments, time_limits.current(), self._secrets)
        process = self._context.Process(target=_child, args=(sender, order))
        starting = loop.run_in_executor(self._threads, process.start)

        def received() -> tuple[str, Any]:
            while True:
                kind, value = receiver.recv()
                if kind != "event":
                    return kind, value
                if report is not None:
                    loop.call_soon_threadsafe(report, value)

        waiting: asyncio.Future[tuple[str, Any]] | None = None
        try:
            await asyncio.shield(starting)
            sender.close()
            waiting = loop.run_in_executor(self._threads, received)
            kind, value = await asyncio.wait_for(asyncio.shield(waiting), seconds)
        except EOFError:
            raise Lost(
                "the process of this work was killed", hint="if memory ran out, give it more"
            ) from None
        except TimeoutError:
            raise Lost(f"it was not done within {seconds:.0f} seconds") from None
        finally:
            # Shielded: whoever cancels this must not leave the process behind.
            await asyncio.shield(self._end(process, starting, waiting, (sender, receiver)))
        if kind == "error":
            raise value
        return value

    async def _end(
        self,
        process: Any,
        starting: asyncio.Future[None],
        waiting: asyncio.Future[tuple[str, Any]] | None,
        pipe: tuple[Connection, Connection],
    ) -> None:
        """End a process, which may be starting still, and what waits for it."""
        await asyncio.wait([starting])
        sender, receiver = pipe
        sender.close()
        await asyncio.get_running_loop().run_in_executor(self._threads, _ended, process, receiver)
        if waiting is not None:
            with suppress(EOFError, OSError):
                await waiting

    async def close(self) -> None:
        """End what is still running, such as reads that nobody waits for."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)


def _ended(process: Any, receiver: Connection) -> None:
    """End a process and everything that it has started."""
    if process.is_alive():
        process.join(0.2)  # most have just sent their result
    if process.is_alive():
        process.terminate()
        process.join(_PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
    if process.pid is not None:
        # Git would finish a commit or a push after the process that had started it was killed.
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.close()
    receiver.close()


def _child(sender: Connection, order: _Order) -> None:
    """Do the work, and send what happens: events, then one result or error."""
    os.setsid()
    workers.serve_parent()
    ending.listen()
    REDACTOR.learn(*order.secrets)
    time_limits.use(order.limits)
    ours = logging.getLogger("commodore_py")
    log.set_up()
    ours.handlers = [_Events(sender)]
    ours.setLevel(logging.INFO)
    try:
        with redirect_stdout(StringIO()), run_log.watching(_Stages(sender)):
            module, _, name = order.work.partition(".")
            work = getattr(importlib.import_module(f"commodore_py.serve.{module}"), name)
            found: tuple[str, Any] = "result", work(*order.arguments)
    except CommodoreError as error:
        found = "error", error
    except KeyboardInterrupt:
        ending.leave(1)
    except Exception as error:  # noqa: BLE001 - the daemon serves others all the same
        found = "error", _crash(error)
    with suppress(OSError):
        try:
            content = pickle.dumps(found)
        except Exception as error:  # noqa: BLE001 - an error with parts that cannot be sent
            content = pickle.dumps(("error", _crash(error)))
        sender.send_bytes(content)


def _crash(error: Exception) -> Crashed:
    with tempfile.NamedTemporaryFile(
        "w", prefix="commodore-", suffix=".log", delete=False, encoding="utf-8"
    ) as file:
        file.write(REDACTOR.message("".join(traceback.format_exception(error))))
    return Crashed(
        f"internal error: {type(error).__name__}",
        where=file.name,
        hint="please report this bug with that file of the server",
    )


class _Events(logging.Handler):
    """Sends what is logged."""

    def __init__(self, sender: Connection) -> None:
        super().__init__(logging.INFO)
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        text = REDACTOR.message(streams.unstyled(record.getMessage()))
        level = "notice" if record.levelno == log.NOTICE else record.levelname.lower()
        event = {"level": level, "message": text.strip()}
        if where := str(getattr(record, "where", "")):
            event["where"] = REDACTOR.message(where)
        with suppress(OSError):
            self._sender.send(("event", event))


class _Stages:
    """Sends the stages of a run as they begin."""

    deep = False

    def __init__(self, sender: Connection) -> None:
        self._sender = sender

    def started(self, span: run_log.Span) -> None:
        """Send acts and stages; there are many of the others."""
        if span.kind in ("act", "stage"):
            with suppress(OSError):
                self._sender.send(("event", {"level": "stage", "message": span.name}))

    def finished(self, span: run_log.Span) -> None:
        """Not sent: the next one begins."""
