"""One run at a time in a working directory, and a marker of each that was killed."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import anchored, remove, write_if_changed
from commodore_py.errors import CommodoreError, raise_collected

from .journal import prepare
from .recovery import Span, recover

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths

log = logging.getLogger(__name__)

_PATIENCE = 5.0
_PAUSE = 0.05


class Busy(CommodoreError):
    """Another run is using the working directory."""

    problem_code = "run/busy"


@contextmanager
def exclusive_run(paths: WorkPaths) -> Iterator[None]:
    """Work alone in a working directory; first, recover from an earlier run that was killed."""
    refuse_links(paths)
    with (
        _locked(paths.state) as locked,
        anchored(paths.root, paths.root, paths.dependencies, paths.classes),
    ):
        if not locked:
            yield
            return
        marker = paths.state / "running"
        last = _span_of(marker)
        if last is not None:
            recover(paths, Span(*last), patience=_PATIENCE)
        began = time.time()
        write_if_changed(marker, _trace(began))
        try:
            yield
        except Exception as error:
            if not (paths.state / "lock").is_file():
                raise CommodoreError(
                    "the working directory was removed during the run",
                    where=str(paths.root),
                    hint="find out what removes it, and compile again",
                ) from error
            # Git may have been killed instead of us: the next run checks this period only.
            write_if_changed(marker, _trace(began, ended=time.time()))
            raise
        remove(marker)


@contextmanager
def shared_lock(paths: WorkPaths, *, patience: float = _PATIENCE) -> Iterator[None]:
    """Keep runs out of a working directory while it is read; nothing is written there."""
    try:
        lock = os.open(paths.state / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # nothing was compiled there yet, or not by us
        yield
        return
    try:
        _take(lock, paths.state, patience=patience, kind=fcntl.LOCK_SH)
        yield
    finally:
        os.close(lock)


@contextmanager
def _locked(state: Path) -> Iterator[bool]:
    try:
        prepare(state)
        how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(state / "lock", how, 0o666)
    except OSError as error:
        raise CommodoreError(
            f"cannot write into the working directory: {error.strerror}",
            where=str(state),
            hint="choose another one with --working-dir, or fix its permissions",
        ) from error
    try:
        alone = _take(lock, state)
        if alone:
            os.ftruncate(lock, 0)
            os.pwrite(lock, b"%d\n" % os.getpid(), 0)
        yield alone
    finally:
        os.close(lock)  # and with it goes the lock


def _take(
    lock: int, state: Path, *, patience: float = _PATIENCE, kind: int = fcntl.LOCK_EX
) -> bool:
    deadline = time.monotonic() + patience
    waiting = False
    while True:
        try:
            # Not `flock`: a worker that outlives a killed run would hold that.
            fcntl.lockf(lock, kind | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # which of them, the systems disagree
            if time.monotonic() > deadline:
                raise _busy(lock, state) from None
            if not waiting:
                log.warning("waiting for %s", _holder(lock))
                waiting = True
            time.sleep(_PAUSE)
        except OSError as error:
            log.warning("runs in this working directory cannot be kept apart: %s", error.strerror)
            return False
        else:
            return True


def _busy(lock: int, state: Path) -> Busy:
    return Busy(
        f"{_holder(lock)} is running in this working directory",
        where=str(state.parent),
        hint="wait until it has ended, or work in another folder with --working-dir",
    )


def _holder(lock: int) -> str:
    number = os.pread(lock, 20, 0).decode(errors="replace").strip()
    return f"another run (process {number})" if number else "another run"


def _trace(began: float, ended: float | None = None) -> bytes:
    return json.dumps({"pid": os.getpid(), "began": began, "ended": ended}).encode()


def _span_of(marker: Path) -> tuple[float, float] | None:
    """When the run that left this marker began and ended; until now if the end is not recorded."""
    with suppress(FileNotFoundError):
        try:
            trace = json_text.load(marker.read_bytes(), name=str(marker))
            return float(trace["began"]), float(trace["ended"] or time.time())
        except (ValueError, TypeError, KeyError, OverflowError):  # of another version of ours
            return marker.stat().st_mtime, time.time()
    return None


_SHOWN = 5
_REPLACED = ("targets", "classes/components", "classes/defaults")
_OUR_LIBRARIES = '"dependencies/'


def refuse_links(paths: WorkPaths) -> None:
    """An error where a link is in the place of our own: other folders would be written to."""
    raise_collected(
        (
            CommodoreError(
                f"{link} is a link, but a compile replaces what is there",
                where=f"{link} -> {link.readlink()}",
                hint="remove the link, or use another folder with --working-dir",
            )
            for link in _links(paths)
        ),
        "links in the place of our own files",
    )


def _links(paths: WorkPaths) -> Iterator[Path]:
    inventory = paths.inventory
    classes = inventory / "classes"
    ours = (inventory, classes, classes / "params", *(inventory / name for name in _REPLACED))
    for place in (paths.state, paths.compiled, *ours):
        if place.is_symlink():
            yield place
    if paths.state.is_dir() and not paths.state.is_symlink():
        with os.scandir(paths.state) as entries:
            for entry in entries:
                if entry.is_symlink():
                    yield paths.state / entry.name


def refuse_foreign_folder(paths: WorkPaths) -> None:
    """An error where the first compile would remove or overwrite files that no compile wrote."""
    refuse_links(paths)
    if paths.state.is_dir() or paths.params_file.is_file():
        return  # our working directory, or Commodore's
    foreign = sorted(str(path.relative_to(paths.root)) for path in _in_the_way(paths))
    if foreign:
        more = f" and {len(foreign) - _SHOWN} more" if foreign[_SHOWN:] else ""
        raise CommodoreError(
            "a compile would remove or overwrite files here that no compile wrote:"
            f" {', '.join(foreign[:_SHOWN])}{more}",
            where=str(paths.root),
            hint="use an empty folder with --working-dir, move the files away, or use --force",
        )


def _in_the_way(paths: WorkPaths) -> Iterator[Path]:
    yield from _entries(paths.compiled)
    for name in _REPLACED:
        yield from _entries(paths.inventory / name)
    file = paths.jsonnetfile
    if file.is_file() and _OUR_LIBRARIES not in file.read_text(errors="replace"):
        yield file
        lock = file.with_suffix(".lock.json")
        if lock.is_file():
            yield lock


def _entries(folder: Path) -> list[Path]:
    return (
        [path for path in folder.iterdir() if path.is_file() or path.is_dir()]
        if folder.is_dir()
        else []
    )
