"""Progress of long stages: a line that changes on a terminal, otherwise a line now and then."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR

from . import log, messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from commodore_py.run_log import Span

_LOG = logging.getLogger("commodore_py.cli")

_WORDS = {
    "ask": "Querying remotes",
    "fetch": "Fetching repositories",
    "hierarchy": "Resolving the hierarchy",
    "download": "Downloading",
    "layout": "Writing the inventory",
    "compile": "Compiling",
    "filters": "Filtering",
    "assemble": "Assembling the catalog",
    "stage": "Staging the catalog",
}
# Programs may prompt the user: draw only when there is progress, not on every tick.
_MAY_PROMPT = {"ask", "fetch", "download"}
# Between two drawings the cursor is where the line begins: there it stays if a terminal becomes
# narrower and breaks the line, and all that is left of it can be taken back from there.
_TO_THE_LEFT = "\r"
_ERASE = "\r\x1b[J"
_lock = threading.RLock()
# A worker that is forked must not find it half drawn.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)


class Screen:
    """Draws the progress line on stderr; it must be cleared before other output."""

    def __init__(self) -> None:
        self._progress: Bar | None = None
        self._task: TaskID | None = None
        self._plain = False

    def usable(self) -> bool:
        """Return whether stderr is a terminal that can erase lines."""
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def draw(self, words: str, done: int, total: int, name: str, *, plain: bool) -> None:
        """Draw the line, unless a program that we started is reading a password."""
        with _lock, suppress(OSError):
            if _reading_password():
                return
            if self._progress is None or plain != self._plain:
                self._progress, self._plain = lines(plain=plain), plain
            count = f"{done}/{total}" if total else ""
            name = escaping.one_line(REDACTOR.message(name))
            if self._task is None:
                self._task = self._progress.add_task(
                    words, completed=done, total=total or None, count=count, name=name
                )
                self._progress.start()
            else:
                _write(_ERASE)
                self._progress.update(
                    self._task, completed=done, count=count, name=name, refresh=True
                )
            _write(_TO_THE_LEFT)

    def clear(self) -> None:
        """Remove the line."""
        with _lock, suppress(OSError):
            if self._progress is not None and self._task is not None:
                _write(_ERASE)
                self._progress.stop()
                self._progress.remove_task(self._task)
                self._task = None

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Remove the line while other output is written."""
        with _lock:
            self.clear()
            yield


SCREEN = Screen()


class _Stage:
    """A stage that is running."""

    __slots__ = ("at_work", "done", "logged", "may_prompt", "name", "span", "words")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.words = _WORDS[span.name]
        self.may_prompt = span.name in _MAY_PROMPT
        self.done = 0
        self.name = self.at_work = ""
        self.logged = False

    def draw(self) -> None:
        SCREEN.draw(self.words, self.done, self.span.total, self.name, plain=log.plain())

    def text(self) -> str:
        at_work = f" ({self.at_work})" if self.at_work else ""
        return f"{self.words}: {self.done} of {self.span.total}{at_work}"


class Progress:
    """Watches stages: each that takes longer than `patience` seconds is shown."""

    def __init__(self, *, patience: float = 0.3, pause: float = 10.0, tick: float = 0.1) -> None:
        self._patience, self._pause, self._tick = patience, pause, tick
        self._lock = threading.Lock()
        self._stages: list[_Stage] = []
        self._logged_at = 0.0
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None
        self._draws = False

    def started(self, span: Span) -> None:
        """Show a new stage, or the current item of the shown one."""
        is_stage = span.kind == "stage" and span.name in _WORDS
        with self._lock:
            if is_stage:
                self._stages.append(_Stage(span))
                self._logged_at = time.monotonic()
            elif self._stages and span.kind == self._stages[-1].span.of:
                self._stages[-1].name = self._stages[-1].at_work = span.name
        if is_stage and self._ticker is None and _LOG.isEnabledFor(logging.INFO):
            self._draws = log.form() == "text" and SCREEN.usable()
            self._ticker = threading.Thread(target=self._watch, daemon=True)
            self._ticker.start()

    def finished(self, span: Span) -> None:
        """Count an item, or end the stage."""
        text = ""
        with self._lock:
            stage = self._stages[-1] if self._stages else None
            if stage is not None and span.kind == stage.span.of:
                stage.done += 1
                stage.name = span.name
                if stage.at_work == span.name:
                    stage.at_work = ""
                if self._draws and stage.may_prompt and self._old(stage):
                    stage.draw()
            elif stage is not None and span.kind == "stage" and span.name == stage.span.name:
                self._stages.pop()
                text = stage.text() if stage.logged else ""
                SCREEN.clear()
        # Not while the lock is held: logging clears the screen.
        if text:
            messages.info(text)

    def close(self) -> None:
        """Stop drawing and remove the line."""
        self._ended.set()
        if self._ticker is not None:
            self._ticker.join()
        SCREEN.clear()

    def _old(self, stage: _Stage) -> bool:
        return time.monotonic_ns() - stage.span.start > self._patience * 1e9

    def _watch(self) -> None:
        """Draw the current stage again and again, or log it now and then."""
        while not self._ended.wait(self._tick if self._draws else min(self._pause, 1.0)):
            text, now = "", time.monotonic()
            with self._lock:
                stage = self._stages[-1] if self._stages else None
                if stage is not None and self._draws:
                    if not stage.may_prompt and self._old(stage):
                        stage.draw()
                elif stage is not None and now - self._logged_at >= self._pause:
                    text, stage.logged, self._logged_at = stage.text(), True, now
            if text:
                messages.info(text)


@contextmanager
def shown() -> Iterator[None]:
    """Show progress while the block runs."""
    progress = Progress()
    log.PROGRESS_LINES.append(SCREEN.aside)
    try:
        with run_log.watching(progress):
            yield
    finally:
        progress.close()
        log.PROGRESS_LINES.remove(SCREEN.aside)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def lines(*, plain: bool, ticking: bool = False) -> Bar:
    """Lines that change on standard error; if they are `ticking`, also while nothing happens."""
    # Imported late: slow, and only needed after a while.
    from rich import progress
    from rich.console import Console

    class Steady(Console):
        """Does not hide the cursor: a killed process could not restore it."""

        def show_cursor(self, show: bool = True) -> bool:  # noqa: ARG002, FBT002 - the base class has it so
            return False

    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=24),
        progress.TextColumn("{task.fields[count]}", markup=False),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.fields[name]}", style="dim", markup=False),
        console=Steady(stderr=True, no_color=plain or None, highlight=False),
        auto_refresh=ticking,
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _reading_password() -> bool:
    import termios

    try:
        return not termios.tcgetattr(sys.stderr.fileno())[3] & termios.ECHO
    except termios.error:
        return False
