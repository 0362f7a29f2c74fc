"""Trust in caches: only this user may have written to one."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from mmap import mmap
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

log = logging.getLogger(__name__)

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_PRIVATE_FOLDER = 0o700
# A byte for each warning that was logged, in memory that workers share: they are forks.
_LOGGED = mmap(-1, 1 << 16)


def is_trusted(what: str, folder: Path | str, *inside: str) -> bool:
    """Return whether a cache can be used; the reason is reported once per run.

    Others must not read it either: repositories, charts and results may be secret.
    """
    if not os.path.lexists(folder):
        return True  # it is created for this user
    distrust = distrust_in((str(folder), *(f"{folder}/{name}" for name in inside)))
    if distrust is not None:
        log_once(logging.WARNING, f"{what} is not used", distrust)
        return False
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(folder).st_mode)  # noqa: PTH116 - a text
        if mode & ~_PRIVATE_FOLDER:
            os.chmod(folder, mode & _PRIVATE_FOLDER)  # noqa: PTH101 - as above
    return True


def distrust_in(paths: Iterable[str]) -> CommodoreError | None:
    """Why one of these folders must not be used, if one is there and must not."""
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - a text
        except FileNotFoundError:
            continue
        except OSError as error:
            hint = "fix that, or set XDG_CACHE_HOME to another folder"
            return CommodoreError(reason(error), where=path, hint=hint)
        if distrust := _distrust_of(path, status):
            return distrust
    return None


def is_of_this_user(status: os.stat_result) -> bool:
    """Return whether only this user can have written something."""
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_MAY_WRITE


def log_once(level: int, what: str, why: CommodoreError) -> None:
    """Log why a cache is not used: several parts of a run, and its workers, may use it."""
    text = f"{what}: {why}"
    slot = hash((text, why.where)) % len(_LOGGED)
    if not _LOGGED[slot]:
        _LOGGED[slot] = 1
        log.log(level, "%s", text, extra={"where": why.where, "hint": why.hint})


def forget_logged() -> None:
    """Log warnings again that were logged once: another run begins in this process."""
    _LOGGED[:] = bytes(len(_LOGGED))


def reason(error: Exception) -> str:
    """The operating system's message, in our form."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _distrust_of(path: str, status: os.stat_result) -> CommodoreError | None:
    if not stat.S_ISDIR(status.st_mode):
        why, hint = "it is not a folder", "remove it; the folder is created again"
    elif status.st_uid != os.geteuid():
        why = f"it belongs to another user ({status.st_uid}, and this is {os.geteuid()})"
        hint = "remove it, or set XDG_CACHE_HOME to a folder of this user"
    elif status.st_mode & _OTHERS_MAY_WRITE:
        why = "other users may write to it"
        hint = "remove it, as they may have written to it; it is created again for this user only"
    else:
        return None
    return CommodoreError(why, where=path, hint=hint)
