"""Compile without changing anything: in place where nothing has to be written, else in a copy."""

from __future__ import annotations

import logging
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.files.protected import WouldWrite, protected
from commodore_py.adapters.git.worktrees import relocate
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.own_folders import refuse_links
from commodore_py.dependencies.protection.run_lock import shared_lock
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from commodore_py.config import Config
    from commodore_py.model.published import Published
    from commodore_py.pipeline import RunObserver

log = logging.getLogger(__name__)

_OURS = ("inventory", "dependencies", "vendor", "catalog", ".commodore")
_NOT_COPIED = ("compiled",)
# Components may read other files beside ours, but large folders are not copied.
_ROOM_FOR_OTHERS = 64 * 1024 * 1024
_MEMORY = "/dev/shm"  # noqa: S108 - the copy is a folder of its own, for its owner alone
_OBJECTS = "objects"
_GIT_SIGNS = {"HEAD", "refs", _OBJECTS}
_CHUNK = 1 << 20


def compile_dry(config: Config, cluster_id: str, observer: RunObserver | None = None) -> Published:
    """Return what a compile would change; nothing below the working directory is written."""
    locked = pipeline.open_lock(config, cluster_id) if config.lock_file is not None else None
    asks_nobody = locked is not None and config.offline
    known = None if asks_nobody else pipeline.check_settings(config, cluster_id)
    compiled = partial(
        pipeline.compile_catalog,
        cluster_id=cluster_id,
        approve=lambda _: False,
        observer=observer,
        known=known,
        locked=locked,
    )
    config = config._replace(dry_run=True)
    shown: set[str] = set()
    if _needs_no_copy(config):
        # Of a first attempt that has to be repeated in a copy, each message is shown once.
        with suppress(WouldWrite), filtered(partial(_note_message, shown)):
            return compiled(config, turn=in_place)
    with copied(config, shown) as own:
        published = compiled(own)
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
    state = config.paths.state
    recovered = (state / "running").exists() or any((state / "journal").glob("*.json"))
    return config.local and config.engine == "native" and state.is_dir() and not recovered


@contextmanager
def in_place(paths: WorkPaths) -> Iterator[None]:
    """Keep runs out of a working directory while this one reads there, and writes nothing."""
    refuse_links(paths)
    with shared_lock(paths), protected(paths.root):
        yield


@contextmanager
def copied(config: Config, shown: Collection[str] = ()) -> Iterator[Config]:
    """Settings for a copy of the working directory; messages name the original.

    Messages that were `shown` before are not shown again.
    """
    with tempfile.TemporaryDirectory(
        prefix="commodore-dry-run-", dir=_folder_for(config.paths.root)
    ) as folder:
        scratch = Path(folder).resolve() / "work"
        root = config.paths.root.resolve()
        with shared_lock(config.paths):
            _copy(root, scratch)
        with _renamed_paths(root, scratch, shown):
            yield config._replace(paths=WorkPaths(scratch), copy_of=config.paths.root)


def _folder_for(root: Path) -> str | None:
    """Where the copy is made: in memory, if there is a file system for that with enough room."""
    try:
        if not os.access(_MEMORY, os.W_OK | os.X_OK):
            return None
        free = shutil.disk_usage(_MEMORY).free
        needed = sum(
            _size_of(root / name, at_most=free) for name in _OURS if (root / name).exists()
        )
    except OSError:
        return None
    return _MEMORY if 2 * (needed + _ROOM_FOR_OTHERS) < free else None


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
        _copy_entry(str(entry), str(scratch / entry.name), (str(root), str(scratch)))
    _repair_worktrees(root, scratch)


def _copy_entry(entry: str, copy: str, roots: tuple[str, str]) -> None:
    """Copy a file, a link or a folder; others, such as sockets, are left out."""
    found = os.lstat(entry)
    if stat.S_ISLNK(found.st_mode):
        os.symlink(_within_copy(os.readlink(entry), *roots), copy)
    elif stat.S_ISDIR(found.st_mode):
        _copy_folder(entry, copy, roots)
    elif stat.S_ISREG(found.st_mode):
        _copy_file(entry, copy, found)


def _copy_folder(folder: str, copy: str, roots: tuple[str, str]) -> None:
    os.mkdir(copy)
    names = os.listdir(folder)
    is_repository = _GIT_SIGNS.issubset(names)
    for name in names:
        if is_repository and name == _OBJECTS:
            _borrow_objects(f"{folder}/{name}", f"{copy}/{name}")
        else:
            _copy_entry(f"{folder}/{name}", f"{copy}/{name}", roots)


def _copy_file(file: str, copy: str, found: os.stat_result) -> None:
    source = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        target = os.open(copy, flags, stat.S_IMODE(found.st_mode) | stat.S_IWUSR)
        try:
            while content := os.read(source, _CHUNK):
                os.write(target, content)
            os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
        finally:
            os.close(target)
    finally:
        os.close(source)


def _borrow_objects(objects: str, copy: str) -> None:
    """Let a copied repository read the objects of the original, which never change."""
    for folder in (copy, f"{copy}/info", f"{copy}/pack"):
        os.mkdir(folder)
    lenders = [objects]
    with suppress(OSError):
        known = Path(objects, "info", "alternates").read_text("utf-8").splitlines()
        lenders += [os.path.normpath(os.path.join(objects, line)) for line in known if line]
    Path(copy, "info", "alternates").write_text("".join(f"{one}\n" for one in lenders), "utf-8")


def _within_copy(target: str, root: str, scratch: str) -> str:
    if target == root or target.startswith(f"{root}/"):
        return scratch + target[len(root) :]
    return target


def _size_of(entry: Path, *, at_most: int) -> int:
    """The size of what there is to copy; counting stops above the limit."""
    if entry.is_symlink() or not entry.is_dir():
        return entry.lstat().st_size
    size = 0
    for parent, folders, names in os.walk(entry):
        if _GIT_SIGNS.issubset((*folders, *names)):
            folders.remove(_OBJECTS)
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
