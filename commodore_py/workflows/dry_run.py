"""Compile in a scratch copy of the working directory, without changing anything."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.git.copies import OBJECTS, copy_entry, is_git_folder, relocate
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.run_lock import shared_lock
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.problem import Problem
    from commodore_py.model.published import Published

log = logging.getLogger(__name__)

_OURS = ("inventory", "dependencies", "vendor", "catalog", ".commodore")
_NOT_COPIED = ("compiled",)
# Components may read other files beside ours, but large folders are not copied.
_ROOM_FOR_OTHERS = 64 * 1024 * 1024
_PREFIX = "commodore-dry-run-"
# What happened in the copy only.
_WOULD = (
    (re.compile(r"local work was backed up; see it with: .*"), "local work would be backed up"),
    (re.compile(r"was moved to (?=.*/\.put-aside/)"), "would be moved to "),
    (re.compile(r"^removed or overwritten in"), "would be removed or overwritten in"),
)


def compile_dry(config: Config, cluster_id: str, cluster: Cluster | None = None) -> Published:
    """Return what a compile would change; nothing below the working directory is written."""
    with copied(replace(config, dry_run=True)) as scratch_config:
        published = pipeline.compile_catalog(
            scratch_config, cluster_id, lambda _: False, cluster=cluster
        )
        name = partial(_moved, target=config.paths.root.resolve(), source=scratch_config.paths.root)
        return replace(published, notices=renamed(published.notices, name))


@contextmanager
def copied(config: Config) -> Iterator[Config]:
    """Settings for a copy of the working directory; messages name the original."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        scratch = Path(folder).resolve() / "work"
        root = config.paths.root.resolve()
        with shared_lock(config.paths):
            _copy(root, scratch)
        with named_by(partial(_moved, target=root, source=scratch), _WOULD):
            yield replace(config, paths=WorkPaths(scratch), copy_of=config.paths.root)


@contextmanager
def elsewhere(config: Config) -> Iterator[Config]:
    """Settings for a new working directory; messages name paths as if it were the current one."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        scratch = WorkPaths(Path(folder).resolve() / "work")
        with named_by(lambda text: text.replace(f"{scratch.root}/", "")):
            yield replace(config, paths=scratch, local=False)


def _copy(root: Path, scratch: Path) -> None:
    """Copy everything that a compile may read; links and worktrees stay within the copy."""
    scratch.mkdir()
    room = _ROOM_FOR_OTHERS
    for entry in sorted(root.iterdir()) if root.is_dir() else ():
        if entry.name in _NOT_COPIED:
            continue
        if entry.name not in _OURS:
            size = _size_of(entry, at_most=room)
            if size > room:
                log.info("omitted from the dry run because of its size: %s", entry)
                continue
            room -= size
        copy_entry(str(entry), str(scratch / entry.name), (str(root), str(scratch)))
    _repair_worktrees(root, scratch)


def _size_of(entry: Path, *, at_most: int) -> int:
    """The size of what there is to copy; counting stops above the limit."""
    if entry.is_symlink() or not entry.is_dir():
        return entry.lstat().st_size
    size = 0
    for parent, folders, names in os.walk(entry):
        if is_git_folder((*folders, *names)):
            folders.remove(OBJECTS)
        size += sum(os.lstat(f"{parent}/{name}").st_size for name in names)
        if size > at_most:
            break
    return size


def _repair_worktrees(root: Path, scratch: Path) -> None:
    """Fix the absolute paths between clones and their worktrees."""
    noted = [
        *scratch.glob("dependencies/*/.git"),
        *(scratch / "dependencies" / ".repos").glob("**/worktrees/*/gitdir"),
    ]
    relocate(scratch, noted, root)


@contextmanager
def named_by(
    name: Callable[[str], str], more: Iterable[tuple[re.Pattern[str], str]] = ()
) -> Iterator[None]:
    """Have messages and errors name other paths, and say `more` otherwise."""

    def rewrite(record: logging.LogRecord) -> bool:
        text = name(record.getMessage())
        for happened, words in more:
            text = happened.sub(words, text)
        record.msg, record.args = text, ()
        for part in ("where", "hint", "notes"):
            if part in record.__dict__:
                record.__dict__[part] = name(str(record.__dict__[part]))
        return True

    try:
        with filtered(rewrite):
            yield
    except CommodoreError as error:
        error.rewrite(name)
        raise


def renamed(notices: Iterable[Problem], name: Callable[[str], str]) -> tuple[Problem, ...]:
    """Notices that name other paths."""
    return tuple(
        notice._replace(message=name(notice.message), where=name(notice.where))
        for notice in notices
    )


@contextmanager
def filtered(judge: Callable[[logging.LogRecord], bool]) -> Iterator[None]:
    """Show only messages that pass."""
    handlers = logging.getLogger("commodore_py").handlers
    for handler in handlers:
        handler.addFilter(judge)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(judge)


def errors_only() -> AbstractContextManager[None]:
    """Show no warnings: a compile shows them again."""
    return filtered(lambda record: record.levelno >= logging.ERROR)


@contextmanager
def messages_once() -> Iterator[None]:
    """Show each message once, for several compiles of the same."""
    shown: dict[str, logging.LogRecord] = {}
    with filtered(lambda record: shown.setdefault(record.getMessage(), record) is record):
        yield


def _moved(text: str, target: Path, source: Path) -> str:
    """The text with paths below one folder in place of those below the other."""
    return re.sub(rf"{re.escape(str(source))}(?![\w.-])", lambda _: str(target), text)
