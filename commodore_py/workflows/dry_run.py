"""Compile without changing anything: in place, with copies of what is fetched, else in a copy."""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.files.protected import WouldWrite, protected
from commodore_py.adapters.git.copies import OBJECTS, copy_entry, is_git_folder
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.worktrees import relocate
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.own_folders import refuse_links
from commodore_py.dependencies.protection.run_lock import shared_lock
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from commodore_py.config import Config
    from commodore_py.model.published import Published

log = logging.getLogger(__name__)

_OURS = ("inventory", "dependencies", "vendor", "catalog", ".commodore")
_NOT_COPIED = ("compiled",)
# Components may read other files beside ours, but large folders are not copied.
_ROOM_FOR_OTHERS = 64 * 1024 * 1024
# What has changed is small, but clones are not always.
_ROOM_TO_FETCH = 1024 * 1024 * 1024
_PREFIX = "commodore-dry-run-"
_MEMORY = "/dev/shm"  # noqa: S108 - the copy is a folder of its own, for its owner alone


def compile_dry(config: Config, cluster_id: str) -> Published:
    """Return what a compile would change; nothing below the working directory is written."""
    locked = pipeline.open_lock(config, cluster_id) if config.lock_file is not None else None
    asks_nobody = locked is not None and config.offline
    known = None if asks_nobody else pipeline.check_settings(config, cluster_id)
    compiled = partial(
        pipeline.compile_catalog,
        cluster_id=cluster_id,
        approve=lambda _: False,
        known=known,
        locked=locked,
    )
    config = config._replace(dry_run=True)
    shown: set[str] = set()
    if _needs_no_copy(config):
        # Of a first attempt that has to be repeated in a copy, each message is shown once.
        with suppress(WouldWrite), filtered(partial(_note_message, shown)):
            return compiled(config, turn=in_place)
    elif _can_borrow(config):
        noted = filtered(partial(_note_message, shown))
        with suppress(WouldWrite), _borrowing(config) as own, noted:
            return _named_as_in(config, compiled(own), own)
    with copied(config, shown) as own:
        return _named_as_in(config, compiled(own), own)


def _named_as_in(config: Config, published: Published, own: Config) -> Published:
    """The result, with the paths of the working directory and not of the copy."""
    root, scratch = config.paths.root.resolve(), own.paths.root
    return published._replace(
        notices=tuple(
            notice._replace(
                message=_moved(notice.message, root, scratch),
                where=_moved(notice.where, root, scratch),
            )
            for notice in published.notices
        ),
    )


def _needs_no_copy(config: Config) -> bool:
    """Whether it is likely that nothing but the output has to be written.

    Other runs fetch, and what they find out from remotes must not be requested twice.
    """
    return config.local and _is_plain(config)


def _can_borrow(config: Config) -> bool:
    """Whether it is likely that only what is fetched has to be copied."""
    by_programs = config.jsonnet_bundler == "jb" and config.fetch_dependencies
    special = config.offline or config.force or config.lock_file is not None
    return _is_plain(config) and not (config.local or by_programs or special)


def _is_plain(config: Config) -> bool:
    state = config.paths.state
    recovered = (state / "running").exists() or any((state / "journal").glob("*.json"))
    return config.engine == "native" and state.is_dir() and not recovered


@contextmanager
def in_place(paths: WorkPaths) -> Iterator[None]:
    """Keep runs out of a working directory while this one reads there, and writes nothing."""
    refuse_links(paths)
    with shared_lock(paths), protected(paths.root):
        yield


@contextmanager
def _borrowing(config: Config) -> Iterator[Config]:
    """Settings for a folder that reads what is up to date in the working directory itself.

    Nothing is written there: an attempt raises `WouldWrite`.
    """
    refuse_links(config.paths)
    with (
        tempfile.TemporaryDirectory(
            prefix=_PREFIX, dir=_MEMORY if _free_memory() > _ROOM_TO_FETCH else None
        ) as folder,
        shared_lock(config.paths),
        protected(config.paths.root),
    ):
        root, scratch = config.paths.root.resolve(), Path(folder).resolve() / "work"
        _copy(root, scratch, _not_borrowed(WorkPaths(root)))
        if is_repository(config.paths.catalog):
            (scratch / config.paths.catalog.name).symlink_to(config.paths.catalog)
        with _renamed_paths(root, scratch, ()):
            paths = WorkPaths(scratch)
            yield config._replace(paths=paths, copy_of=config.paths.root, borrows=True)


def _not_borrowed(paths: WorkPaths) -> Iterator[Path]:
    """What is copied before a run that copies checkouts, and their clones, when they change.

    Links and files that the run makes in any case are not copied.
    """
    apart = (paths.inventory, paths.dependencies, paths.catalog)
    yield from (one for one in paths.root.iterdir() if one not in apart)
    made = (paths.classes, paths.targets, paths.libraries, paths.bare_clones)
    for folder in (paths.inventory, paths.dependencies):
        if folder.is_dir():
            yield from (
                one for one in folder.iterdir() if one not in made and not (one / ".git").exists()
            )
    for parent, folders, names in os.walk(paths.bare_clones):
        if is_git_folder((*folders, *names)):
            if "worktrees" not in folders:
                yield Path(parent)
            folders.clear()


@contextmanager
def copied(config: Config, shown: Collection[str] = ()) -> Iterator[Config]:
    """Settings for a copy of the working directory; messages name the original.

    Messages that were `shown` before are not shown again.
    """
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_folder_for(config.paths.root)) as folder:
        scratch = Path(folder).resolve() / "work"
        root = config.paths.root.resolve()
        with shared_lock(config.paths):
            _copy(root, scratch, root.iterdir() if root.is_dir() else ())
        with _renamed_paths(root, scratch, shown):
            yield config._replace(paths=WorkPaths(scratch), copy_of=config.paths.root)


def _folder_for(root: Path) -> str | None:
    """Where the copy is made: in memory, if there is a file system for that with enough room."""
    try:
        free = _free_memory()
        needed = sum(
            _size_of(root / name, at_most=free) for name in _OURS if (root / name).exists()
        )
    except OSError:
        return None
    return _MEMORY if 2 * (needed + _ROOM_FOR_OTHERS) < free else None


def _free_memory() -> int:
    """How much can be written to a file system in memory; none without one."""
    return shutil.disk_usage(_MEMORY).free if os.access(_MEMORY, os.W_OK | os.X_OK) else 0


def _copy(root: Path, scratch: Path, entries: Iterable[Path]) -> None:
    """Copy everything that a compile may read; links and worktrees stay within the copy."""
    scratch.mkdir()
    room = _ROOM_FOR_OTHERS
    for entry in sorted(entries):
        inner = entry.relative_to(root)
        if entry.name in _NOT_COPIED and entry.parent == root:
            continue
        if inner.parts[0] not in _OURS:
            size = _size_of(entry, at_most=room)
            if size > room:
                log.info("omitted from the dry run because of its size: %s", entry)
                continue
            room -= size
        copy = scratch / inner
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy_entry(str(entry), str(copy), (str(root), str(scratch)))
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
def _renamed_paths(root: Path, scratch: Path, shown: Collection[str]) -> Iterator[None]:
    """Messages name paths in the working directory, not in its copy."""

    def rewrite(record: logging.LogRecord) -> bool:
        record.msg, record.args = _moved(record.getMessage(), root, scratch), ()
        for part in ("where", "hint", "notes"):
            if part in record.__dict__:
                record.__dict__[part] = _moved(str(record.__dict__[part]), root, scratch)
        return record.msg not in shown

    try:
        with filtered(rewrite):
            yield
    except CommodoreError as error:
        error.rewrite(partial(_moved, there=root, here=scratch))
        raise


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


@contextmanager
def messages_once() -> Iterator[None]:
    """Show each message once, for several compiles of the same."""
    shown: dict[str, logging.LogRecord] = {}
    with filtered(lambda record: shown.setdefault(record.getMessage(), record) is record):
        yield


def _note_message(shown: set[str], record: logging.LogRecord) -> bool:
    shown.add(record.getMessage())
    return True


def _moved(text: str, there: Path, here: Path) -> str:
    """The text with paths below one folder in place of those below the other."""
    return re.sub(rf"{re.escape(str(here))}(?![\w.-])", lambda _: str(there), text)
