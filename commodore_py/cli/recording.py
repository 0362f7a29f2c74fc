"""`--timings` and `--trace`: what ran, as a table and as a file."""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.run_log import Span

    from .output.timings import Row

    _Command = TypeVar("_Command", bound=Callable[..., Any])

Result = TypeVar("Result")


class Recorder:
    """Keeps every span, and the cost before the first of them."""

    deep = True

    def __init__(self) -> None:
        from .output.timings import cost_so_far

        self.spans: list[Span] = []
        self._began = time.monotonic_ns()
        self._start = cost_so_far()

    def started(self, span: Span) -> None:
        """Ignored: only finished spans are recorded."""

    def finished(self, span: Span) -> None:
        """Keep it."""
        self.spans.append(span)

    def rows(self) -> list[Row]:
        """The duration of every stage up to now."""
        from .output.timings import Cost, cost_so_far, rows_of

        wall = time.monotonic_ns() - self._began
        total = Cost(wall + (self._start.wall or 0), cost_so_far().cpu)
        return rows_of(self.spans, start=self._start, total=total)


def recording_options(command: _Command) -> _Command:
    """Add the options that `recorded` uses."""
    timings = click.option(
        "--timings", is_flag=True, help="Print the duration of each stage at the end."
    )
    trace = click.option(
        "--trace",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a trace of the run to FILE, for Perfetto or chrome://tracing.",
    )
    return timings(trace(command))


def output_files(trace: Path | None) -> tuple[Path, ...]:
    """Files that this run writes to: the trace, and where stdout and stderr are redirected to."""
    found = [] if trace is None else [trace.absolute()]
    for stream in (1, 2):
        with suppress(OSError):  # closed, or not available on this system
            if stat.S_ISREG(os.fstat(stream).st_mode):
                found.append(Path(os.readlink(f"/proc/self/fd/{stream}")))  # noqa: PTH115 - quick
    return tuple(found)


@contextmanager
def recorded(options: dict[str, Any]) -> Iterator[Recorder | None]:
    """Record what runs meanwhile if requested; written even after a failure."""
    timings, trace = options.pop("timings"), options.pop("trace")
    if not timings and trace is None:
        yield None
        return
    from commodore_py import run_log

    if trace is not None:
        _try_to_write(trace)
    recorder = Recorder()
    try:
        with run_log.watching(recorder):
            yield recorder if timings else None
    finally:
        if trace is not None:
            _write(trace, recorder.spans)
        if timings:
            from .output.timings import print_rows

            print_rows(recorder.rows())


def recording(function: Callable[..., Result]) -> Callable[..., Result]:
    """Record a command with these options, which are not passed to it."""

    @wraps(function)
    def run(*words: object, **options: Any) -> Result:
        with recorded(options):
            return function(*words, **options)

    return run


def _write(file: Path, spans: list[Span]) -> None:
    """A failure is only a warning: the run itself is over."""
    from .output import messages
    from .output.timings import write_trace

    try:
        write_trace(file, spans)
    except OSError as error:
        messages.warn(f"cannot write the trace: {error.strerror}", where=str(file))


def _try_to_write(file: Path) -> None:
    """Fail before the work, not after it, if the file cannot be written."""
    from commodore_py.errors import CommodoreError

    try:
        file.touch()
    except OSError as error:
        raise CommodoreError(
            f"cannot write the trace: {error.strerror}", where=str(file)
        ) from error
