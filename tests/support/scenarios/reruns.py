"""A cluster that is compiled repeatedly, with the note of the last run."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.catalog.diff.text import diff_text
from commodore_py.workflows.catalog.compile import compile_catalog
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.model.catalog import Change
    from commodore_py.model.published import Published

PAUSE = 0.06
"""Longer than two changes of a file may take to bear the same time."""


@dataclass
class Ran:
    """A run: its result, whether it was up to date, and its messages."""

    published: Published
    rested: bool
    warnings: list[str]
    prompts: list[str]
    """The text of each change that the user was prompted for."""
    state: dict[str, bytes] = field(default_factory=dict)
    """What was on disk at its end."""

    @property
    def shown(self) -> tuple[object, ...]:
        """What does not depend on the moment."""
        published = self.published
        record = published.record._replace(time=published.record.time.min)
        files = [(one.kind, one.path, one.old_path) for one in published.change.files]
        outcome = (published.change.ignored, published.commit, published.report)
        return files, diff_text(published.change), record, published.notices, *outcome


@dataclass
class Reruns:
    """A fleet and the settings that it is compiled with."""

    fleet: Fleet
    settings: dict[str, Any]

    @property
    def work(self) -> Path:
        """The working directory."""
        return self.fleet.work

    def run(self, approve: Callable[[Change], bool] | None = None, **changes: Any) -> Ran:  # noqa: ANN401 - Config checks them by name
        """Compile once."""
        prompts: list[str] = []

        def decide(change: Change) -> bool:
            prompts.append("\n".join(line.text for line in diff_text(change)))
            return approve(change) if approve is not None else self.settings.get("push", False)

        config = self.fleet.config(**{**self.settings, **changes})
        with logged() as records:
            published = compile_catalog(config, CLUSTER, decide, diff_text)
        texts = [record.getMessage() for record in records]
        rested = any(text.startswith("nothing changed since") for text in texts)
        warnings = [one.getMessage() for one in records if one.levelno >= logging.WARNING]
        return Ran(published, rested, warnings, prompts, on_disk(self.work))

    def settle(self) -> Ran:
        """Compile until there is nothing to do."""
        for _ in range(3):
            ran = self.run()
            if ran.rested:
                return ran
        raise AssertionError("there is something to do again and again")

    def forget(self) -> None:
        """Know nothing of earlier runs."""
        (self.work / ".commodore/unchanged").unlink(missing_ok=True)


def make_reruns(root: Path, **settings: Any) -> Reruns:  # noqa: ANN401 - Config checks them by name
    """A cluster with two components; in local mode it was compiled with the API before."""
    reruns = Reruns(make_fleet(root, web={"component/names.json": "{}"}, db_one={}), {})
    if settings.get("local"):
        reruns.run()
    reruns.settings = settings
    return reruns


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """All that is logged meanwhile, down to progress."""
    records: list[logging.LogRecord] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    keeper, logger = Keeper(), logging.getLogger("commodore_py")
    level = logger.level
    logger.addHandler(keeper)
    logger.setLevel(logging.DEBUG)
    try:
        yield records
    finally:
        logger.removeHandler(keeper)
        logger.setLevel(level)


def on_disk(folder: Path) -> dict[str, bytes]:
    """Contents, links and modes; of what Git keeps, only what is checked out."""
    found: dict[str, bytes] = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", ".repos", ".commodore")]
        for name in (*names, *folders):
            path = Path(parent, name)
            text = b"-> " + os.fsencode(path.readlink()) if path.is_symlink() else b""
            content = path.read_bytes() if not text and path.is_file() else b""
            mode = b"" if text else b"%o " % path.stat().st_mode
            found[str(path.relative_to(folder))] = mode + text + content
    return found


def rewrite(path: Path, old: str, new: str, *, same_times: bool = False) -> None:
    """Replace text of a file in place; with the same times, if that is wanted."""
    before = path.stat()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if same_times:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
