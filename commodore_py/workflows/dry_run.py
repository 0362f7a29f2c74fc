"""Compile without changing anything: in a copy of the working directory that is removed."""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.git.worktrees import relocate
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.run_lock import shared_lock
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.model.published import Published
    from commodore_py.pipeline import RunObserver

log = logging.getLogger(__name__)

_OURS = ("inventory", "dependencies", "vendor", "catalog", ".commodore")
_NOT_COPIED = ("compiled",)
# Components may read other files beside ours, but large folders are not copied.
_ROOM_FOR_OTHERS = 64 * 1024 * 1024


def compile_dry(config: Config, cluster_id: str, observer: RunObserver | None = None) -> Published:
    """Return what a compile would change; nothing below the working directory is written."""
    known = pipeline.check_settings(config, cluster_id)
    with tempfile.TemporaryDirectory(prefix="commodore-dry-run-") as folder:
        scratch = Path(folder).resolve() / "work"
        root = config.paths.root.resolve()
        with shared_lock(config.paths):
            _copy(root, scratch)
        with _renamed_paths(root, scratch):
            published = pipeline.compile_catalog(
                config._replace(paths=WorkPaths(scratch)),
                cluster_id,
                approve=lambda _: False,
                observer=observer,
                known=known,
            )
        return published._replace(
            notices=tuple(
                notice._replace(
                    message=_moved(notice.message, root, scratch),
                    where=_moved(notice.where, root, scratch),
                )
                for notice in published.notices
            ),
        )


def _copy(root: Path, scratch: Path) -> None:
    """Copy everything that a compile may read; links and worktrees stay within the copy."""
    scratch.mkdir()
    if not root.is_dir():
        return
    room = _ROOM_FOR_OTHERS
    for entry in sorted(root.iterdir()):
        if entry.name in _NOT_COPIED:
            continue
        if entry.name not in _OURS:
            size = _size_of(entry, at_most=room)
            if size > room:
                log.info("omitted from the dry run because of its size: %s", entry)
                continue
            room -= size
        _copy_entry(entry, scratch / entry.name)
    _repair_links(root, scratch)
    _repair_worktrees(root, scratch)


def _copy_entry(entry: Path, copy: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.copytree(entry, copy, symlinks=True, ignore=_neither_file_nor_folder)
    elif entry.is_file() or entry.is_symlink():
        shutil.copy2(entry, copy, follow_symlinks=False)


def _neither_file_nor_folder(folder: str, names: list[str]) -> list[str]:
    found = (Path(folder, name) for name in names)
    return [p.name for p in found if not (p.is_symlink() or p.is_file() or p.is_dir())]


def _size_of(entry: Path, *, at_most: int) -> int:
    """The size of what there is to copy; counting stops above the limit."""
    if entry.is_symlink() or not entry.is_dir():
        return entry.lstat().st_size
    size = 0
    for parent, _, names in os.walk(entry):
        size += sum(Path(parent, name).lstat().st_size for name in names)
        if size > at_most:
            break
    return size


def _repair_links(root: Path, scratch: Path) -> None:
    for parent, folders, names in os.walk(scratch):
        for link in (Path(parent, name) for name in (*folders, *names)):
            if link.is_symlink():
                target = link.readlink()
                if target.is_relative_to(root):
                    link.unlink()
                    link.symlink_to(scratch / target.relative_to(root))


def _repair_worktrees(root: Path, scratch: Path) -> None:
    """Fix the absolute paths between clones and their worktrees."""
    noted = [
        *scratch.glob("dependencies/*/.git"),
        *(scratch / "dependencies" / ".repos").glob("**/worktrees/*/gitdir"),
    ]
    relocate(scratch, noted, root)


@contextmanager
def _renamed_paths(root: Path, scratch: Path) -> Iterator[None]:
    """Messages name paths in the working directory, not in its copy."""

    def rewrite(record: logging.LogRecord) -> bool:
        record.msg, record.args = _moved(record.getMessage(), root, scratch), ()
        for part in ("where", "hint", "notes"):
            if part in record.__dict__:
                record.__dict__[part] = _moved(str(record.__dict__[part]), root, scratch)
        return True

    handlers = logging.getLogger("commodore_py").handlers
    for handler in handlers:
        handler.addFilter(rewrite)
    try:
        yield
    except CommodoreError as error:
        error.rewrite(partial(_moved, there=root, here=scratch))
        raise
    finally:
        for handler in handlers:
            handler.removeFilter(rewrite)


def _moved(text: str, there: Path, here: Path) -> str:
    """The text with paths below one folder in place of those below the other."""
    return re.sub(rf"{re.escape(str(here))}(?![\w.-])", lambda _: str(there), text)
