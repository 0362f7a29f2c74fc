"""Whether the last compile is older than what it was made of."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from commodore_py.cache.up_to_date import last_run
from commodore_py.model.problem import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths


def outdated(paths: WorkPaths) -> Iterator[Problem]:
    """A warning if a class or a file of a component changed since the last compile.

    Without the time of that, nothing is known.
    """
    note = last_run.read(paths.state)
    if note is None:
        return
    # The time is one of whole seconds.
    compiled = datetime.fromisoformat(note.time).timestamp() + 1
    for file in _sources(paths):
        with suppress(OSError):
            if os.stat(file).st_mtime > compiled:  # noqa: PTH116 - links are followed
                text = "the last compile is older than its sources"
                hint = "run `commodore catalog compile`, or use its option --check"
                shown = os.path.relpath(file, paths.root)
                yield Problem.at(Place(shown), "checks/outdated", text, remedy=hint)
                return


def _sources(paths: WorkPaths) -> Iterator[str]:
    folders: tuple[Path, ...] = (paths.classes, paths.dependencies)
    for top in folders:
        for folder, names, files in os.walk(top):
            names[:] = sorted(name for name in names if not name.startswith("."))
            yield from (os.path.join(folder, file) for file in sorted(files))  # noqa: PTH118
