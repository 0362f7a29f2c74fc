"""Progress of several clusters: a bar for all, and a line for each that is being compiled."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.adapters import escaping

from . import log
from .progress import SCREEN, lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from rich.progress import TaskID


class Progress:
    """Lines on a terminal; elsewhere there is a line for each cluster that has ended."""

    def __init__(self, total: int, *, hidden: bool = False) -> None:
        is_shown = not hidden and log.form() == "text" and SCREEN.usable()
        self._bar = lines(plain=log.plain(), ticking=True) if is_shown else None
        self._total = total
        self._lines: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._all = self._bar.add_task(
                "Compiling clusters", total=self._total, count="", name=""
            )
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def started(self, cluster: str) -> None:
        """Show a cluster that is being compiled."""
        if self._bar is not None:
            name = f"  {escaping.one_line(cluster)}"
            self._lines[cluster] = self._bar.add_task(name, total=None, count="", name="")

    @contextmanager
    def ended(self, cluster: str) -> Iterator[None]:
        """A cluster has ended; what is written in this block is above the lines."""
        if self._bar is None:
            yield
            return
        if cluster in self._lines:
            self._bar.remove_task(self._lines.pop(cluster))
        self._bar.advance(self._all)
        done = int(self._bar.tasks[0].completed)
        self._bar.update(self._all, count=f"{done}/{self._total}")
        self._bar.stop()
        try:
            yield
        finally:
            sys.stderr.flush()
            self._bar.start()
