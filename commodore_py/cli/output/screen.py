"""The one line of a terminal that changes: what runs, and how far it is."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

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
    """Draws the line on stderr; whoever writes anything else there clears it before."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._plain = False

    def usable(self) -> bool:
        """Whether there is a terminal that can take back what it shows."""
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def draw(self, words: str, done: int, total: int, name: str, *, plain: bool) -> None:
        """Show it, unless somebody is typing a password: a program that we started may ask."""
        with _lock, suppress(OSError):
            if _typing_in_secret():
                return
            if self._progress is None or plain != self._plain:
                self._progress, self._plain = _progress(plain=plain), plain
            count = f"{done}/{total}" if total else ""
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
        """Take it back; the next one may be about something else."""
        with _lock, suppress(OSError):
            if self._progress is not None and self._task is not None:
                _write(_ERASE)
                self._progress.stop()
                self._progress.remove_task(self._task)
                self._task = None

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Show nothing while something else is written."""
        with _lock:
            self.clear()
            yield


SCREEN = Screen()


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _progress(*, plain: bool) -> Progress:
    # It takes a while to load: whoever waits that long anyway does not notice.
    from rich import progress  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    class Steady(Console):
        """Leaves the cursor alone: a killed process could not bring it back."""

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
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _typing_in_secret() -> bool:
    import termios  # noqa: PLC0415 - only on terminals

    try:
        return not termios.tcgetattr(sys.stderr.fileno())[3] & termios.ECHO
    except termios.error:
        return False
