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
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from multiprocessing import forkserver
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py import run_log
from commodore_py.adapters import ending, time_limits, workers
from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli import failures
from commodore_py.cli.output import log
from commodore_py.cli.output.differences import as_json
from commodore_py.errors import CommodoreError

from .failures import coded

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from commodore_py.adapters.time_limits import TimeLimits

    Report: TypeAlias = Callable[[dict[str, Any]], None]

_MOST_RUNNING = 256
_PATIENCE = 5.0
"""Seconds that a process has to end its programs."""
_GOGC = "400"
"""As for `catalog compile`: see `restart.py`."""


class Processes:
    """Starts child processes, each followed by threads, and ends them."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        os.environ.setdefault("GOGC", _GOGC)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["commodore_py.serve.work"])
        self._threads = ThreadPoolExecutor(_MOST_RUNNING, thread_name_prefix="child")
        self._threads.submit(forkserver.ensure_running)  # it takes a while to load everything
        self._secrets = secrets

    async def run(
        self, work: str, *arguments: Any, seconds: float, report: Report | None = None
    ) -> Any:
        """Do some work in a process of its own; cancelling this ends the process.

        The work is named `module.function`: the daemon itself does without all that these import.
        What it logs is reported as it happens.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        starting = self._threads.submit(self._start, work, arguments)
        try:
            _, receiver = await asyncio.shield(asyncio.wrap_future(starting))
            async with asyncio.timeout(seconds):
                while True:
                    kind, value = await in_thread(receiver.recv)
                    if kind == "result":
                        return value
                    if kind == "error":
                        raise value
                    if report is not None:
                        report(value)
        except TimeoutError:
            raise coded("run/lost", f"it was not done within {seconds:.0f} seconds") from None
        except (EOFError, OSError):  # also in the middle of a result
            hint = "if memory ran out, give it more"
            raise coded("run/lost", "the process of this work was killed", hint=hint) from None
        finally:
            # Also if this was cancelled before, or is again: the threads end before the daemon.
            await asyncio.shield(in_thread(lambda: _end(starting.result()[0])))

    def _start(self, work: str, arguments: tuple[Any, ...]) -> tuple[Any, Connection]:
        """Start a process; it sends events, then one result or error."""
        receiver, sender = self._context.Pipe(duplex=False)
        order = (sender, work, arguments, time_limits.current(), self._secrets)
        process = self._context.Process(target=_child, args=order)
        try:
            process.start()
        except (OSError, EOFError) as error:
            raise coded("run/lost", f"no process can be started: {error}") from error
        finally:
            sender.close()
        return process, receiver


def _end(process: Any) -> None:
    """End a process and everything that it has started."""
    process.join(0.2)  # most have just sent their result
    if process.is_alive():
        process.terminate()
        process.join(_PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
    # Git would finish a commit or a push after the process that had started it was killed.
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.close()


def _child(
    sender: Connection,
    work: str,
    arguments: tuple[Any, ...],
    limits: TimeLimits,
    secrets: tuple[str, ...],
) -> None:
    """Do the work, and send what happens: events, then one result or error."""
    os.setsid()
    workers.serve_parent()
    ending.listen()
    try:
        REDACTOR.learn(*secrets)
        time_limits.use(limits)
        outcome = _outcome(_Reports(sender), work, arguments)
        with suppress(OSError):
            sender.send_bytes(outcome)
    except KeyboardInterrupt:
        ending.leave(1)


def _outcome(reports: _Reports, work: str, arguments: tuple[Any, ...]) -> bytes:
    """The result of the work, or its error, as the daemon reads it."""
    ours = logging.getLogger("commodore_py")
    log.set_up()
    ours.handlers = [reports]
    ours.setLevel(logging.INFO)
    module, _, name = work.partition(".")
    try:
        with redirect_stdout(StringIO()), run_log.watching(reports):
            function = getattr(importlib.import_module(f"commodore_py.serve.{module}"), name)
            result = as_json.plain(function(*arguments))
            outcome: tuple[str, Any] = "result", REDACTOR.masked_value(result)
    except CommodoreError as error:
        outcome = "error", error
    except Exception as error:  # noqa: BLE001 - the daemon serves others all the same
        outcome = "error", _crash(error)
    try:
        return pickle.dumps(outcome)
    except Exception as error:  # noqa: BLE001 - an error with parts that cannot be sent
        return pickle.dumps(("error", _crash(error)))


def _crash(error: Exception) -> CommodoreError:
    return coded(
        "run/crashed",
        f"internal error: {type(error).__name__}",
        where=failures.log_of(error),
        hint="please report this bug with that file of the server",
    )


class _Reports(logging.Handler):
    """Sends what is logged, and the acts of a run as they begin."""

    def __init__(self, sender: Connection) -> None:
        super().__init__(logging.INFO)
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record."""
        self._send({"schema": "log/v1", **log.as_data(record)})

    def started(self, span: run_log.Span) -> None:
        """Send acts only: their stages are about how a run works."""
        if span.kind == "act":
            self._send({"level": "stage", "message": span.name})

    def finished(self, span: run_log.Span) -> None:
        """Not sent: the next one begins."""

    def _send(self, event: dict[str, Any]) -> None:
        with suppress(OSError):
            self._sender.send(("event", event))
