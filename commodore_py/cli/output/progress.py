"""How far long stages are: a line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py import spans

from . import log, voice
from .screen import SCREEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.spans import Span

_LOG = logging.getLogger("commodore_py.cli")


_WORDS = {
    "ask": "Asking remotes",
    "fetch": "Fetching repositories",
    "hierarchy": "Resolving the hierarchy",
    "download": "Downloading",
    "layout": "Writing the inventory",
    "compile": "Compiling",
    "filters": "Filtering",
    "assemble": "Assembling the catalog",
    "stage": "Staging the catalog",
}
# Programs may ask the user for something: there only progress is drawn, not time.
_PROGRAMS_ASK = {"ask", "fetch", "download"}


class _Stage:
    """No dataclass: those take a while to define, and every run pays for this one."""

    __slots__ = ("asks", "done", "name", "span", "told", "words")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.words = _WORDS[span.name]
        self.asks = span.name in _PROGRAMS_ASK
        self.done = 0
        self.name = ""
        self.told = False

    def draw(self) -> None:
        SCREEN.draw(self.words, self.done, self.span.total, self.name, plain=log.plain())

    def text(self) -> str:
        return f"{self.words}: {self.done} of {self.span.total}"


class Progress:
    """Watches stages: each that takes longer than `patience` seconds is shown."""

    deep = False

    def __init__(self, *, patience: float = 0.3, pause: float = 10.0, tick: float = 0.1) -> None:
        self._patience, self._pause, self._tick = patience, pause, tick
        self._lock = threading.Lock()
        self._stages: list[_Stage] = []
        self._told = 0.0
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None

    def begun(self, span: Span) -> None:
        """A stage is the one to show now; one of many is what it does just now."""
        known = span.kind == "stage" and span.name in _WORDS
        with self._lock:
            if known:
                self._stages.append(_Stage(span))
                self._told = time.monotonic()
            elif self._stages and span.kind == self._stages[-1].span.of:
                self._stages[-1].name = span.name
        if known and self._ticker is None and _live():
            self._ticker = threading.Thread(target=self._tick_on, daemon=True)
            self._ticker.start()

    def done(self, span: Span) -> None:
        """Count it, or leave the stage."""
        text = ""
        with self._lock:
            stage = self._stages[-1] if self._stages else None
            if stage is None:
                return
            if span.kind == stage.span.of:
                stage.done += 1
                stage.name = span.name
                if self._due():
                    text, stage.told = stage.text(), True
                drawn = stage if stage.asks and self._old(stage) else None
            elif span.kind == "stage" and span.name == stage.span.name:
                self._stages.pop()
                text, drawn = stage.text() if stage.told else "", None
                SCREEN.clear()
            else:
                return
            if drawn is not None and self._ticker is not None:
                drawn.draw()
        # Not while the lock is held: who logs clears the screen.
        if text and self._ticker is None and _LOG.isEnabledFor(logging.INFO):
            voice.step(text)

    def close(self) -> None:
        """Leave the screen as if nothing had been there."""
        self._ended.set()
        if self._ticker is not None:
            self._ticker.join()
        SCREEN.clear()

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._told < self._pause:
            return False
        self._told = now
        return True

    def _old(self, stage: _Stage) -> bool:
        return time.monotonic_ns() - stage.span.start > self._patience * 1e9

    def _tick_on(self) -> None:
        while not self._ended.wait(self._tick):
            with self._lock:
                stage = self._stages[-1] if self._stages else None
                if stage is not None and not stage.asks and self._old(stage):
                    stage.draw()


@contextmanager
def shown() -> Iterator[None]:
    """Show the progress of whatever runs meanwhile."""
    progress = Progress()
    log.STEPPING_ASIDE.append(SCREEN.aside)
    try:
        with spans.watching(progress):
            yield
    finally:
        progress.close()
        log.STEPPING_ASIDE.remove(SCREEN.aside)


def _live() -> bool:
    """Whether people see it happen; programs and logs get whole lines."""
    return log.form() == "text" and _LOG.isEnabledFor(logging.INFO) and SCREEN.usable()
