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
from commodore_py.errors import CommodoreError

from .journal import prepare
from .own_folders import refuse_links
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
            recover(paths, last, patience=_PATIENCE)
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


def _span_of(marker: Path) -> Span | None:
    """When the run that left this marker began and ended; until now if the end is not recorded."""
    with suppress(FileNotFoundError):
        try:
            trace = json_text.load(marker.read_bytes(), name=str(marker))
            return Span(float(trace["began"]), float(trace["ended"] or time.time()))
        except (ValueError, TypeError, KeyError, OverflowError):  # of another version of ours
            return Span(marker.stat().st_mtime, time.time())
    return None
