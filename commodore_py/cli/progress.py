"""How far long stages are: a line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py import spans

from . import log, voice
from .screen import SCREEN, Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.spans import Span

_LOG = logging.getLogger("commodore_py.cli")


@dataclass(frozen=True, slots=True)
class Words:
    """What a stage is called on the screen."""

    text: str
    asks: bool = False
    """Whether programs may ask the user for something: then only progress is drawn, not time."""


_WORDS = {
    "ask": Words("Asking remotes", asks=True),
    "fetch": Words("Fetching repositories", asks=True),
    "hierarchy": Words("Resolving the hierarchy"),
    "download": Words("Downloading", asks=True),
    "layout": Words("Writing the inventory"),
    "compile": Words("Compiling"),
    "filters": Words("Filtering"),
    "assemble": Words("Assembling the catalog"),
    "stage": Words("Staging the catalog"),
}


@dataclass(slots=True)
class _Stage:
    span: Span
    done: int = 0
    name: str = ""
    told: bool = False

    @property
    def words(self) -> Words:
        return _WORDS[self.span.name]

    def line(self) -> Line:
        return Line(self.words.text, self.done, self.span.total, self.name)

    def text(self) -> str:
        return f"{self.words.text}: {self.done} of {self.span.total}"


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
                drawn = stage if stage.words.asks and self._old(stage) else None
            elif span.kind == "stage" and span.name == stage.span.name:
                self._stages.pop()
                text, drawn = stage.text() if stage.told else "", None
                SCREEN.clear()
            else:
                return
            if drawn is not None and self._ticker is not None:
                SCREEN.draw(drawn.line(), plain=log.plain())
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
                if stage is not None and not stage.words.asks and self._old(stage):
                    SCREEN.draw(stage.line(), plain=log.plain())


@contextmanager
def shown() -> Iterator[None]:
    """Show the progress of whatever runs meanwhile."""
    progress = Progress()
    log.CLEARED_BY.append(SCREEN.clear)
    try:
        with spans.watching(progress):
            yield
    finally:
        progress.close()
        log.CLEARED_BY.remove(SCREEN.clear)


def _live() -> bool:
    """Whether people see it happen; programs and logs get whole lines."""
    return log.form() == "text" and _LOG.isEnabledFor(logging.INFO) and SCREEN.usable()
