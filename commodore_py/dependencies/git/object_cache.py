"""The user's cache of Git objects: new clones get them by hard link or copy."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import is_aside, remove
from commodore_py.adapters.process import ProgramFailed
from commodore_py.cache.trust import is_trusted

from .object_cache_entries import LIST, BrokenEntry, discard, populate_from, update_from

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from commodore_py.config import Config

    from .remotes import RemoteRefs

log = logging.getLogger(__name__)

OF_GIT = ("branches", "hooks", "info", "logs", "objects", "refs")
_PAUSE = 0.05
_SCRATCH = ".new"


class Busy(Exception):
    """Another run works on an entry."""


class ObjectCache(NamedTuple):
    """A folder of bare repositories, one per remote; all of it may be deleted at any time."""

    folder: Path
    patience: float = 10.0
    """How long to wait for another run, in seconds, before going on without a loan."""

    @classmethod
    def of(cls, config: Config) -> ObjectCache | None:
        """The one that the settings name, if they name one."""
        folder = config.git_cache
        if folder is None or not is_trusted("the cache of Git objects", folder):
            return None
        found = cls(folder)
        found.tidy()
        return found

    def entry(self, url: str) -> Path:
        """The folder with the objects of a remote."""
        return self.folder / git_urls.dependency_key(url)

    def entries(self) -> Iterator[Path]:
        """All entries, complete or not."""
        for parent, names, files in os.walk(self.folder):
            name = os.path.basename(parent)  # noqa: PTH119 - a name among thousands
            if name == _SCRATCH or is_aside(name):
                names.clear()
            elif "HEAD" in files:
                yield Path(parent)
                # The name of a remote may go on below that of another.
                names[:] = [name for name in names if name not in OF_GIT]

    def has(self, url: str) -> bool:
        """Whether there is something of a remote."""
        return self.holds(self.entry(url))

    def holds(self, entry: Path) -> bool:
        """Whether an entry is there, and complete."""
        return (entry / LIST).is_file()

    def populate(self, url: str, clone: Path, listed: RemoteRefs | None = None) -> bool:
        """Fill a new clone with the cached objects of its remote; returns whether there were any.

        The fetch that follows downloads the rest. If that is nothing by what the remote has
        `listed`, the clone gets its refs, too.
        """
        entry = self.entry(url)
        try:
            if (entry / LIST).is_file():
                with self.locked(entry, fcntl.LOCK_SH, patience=self.patience):
                    populate_from(entry, clone, listed)
                return True
        except (BrokenEntry, ProgramFailed) as problem:
            self._drop_broken(entry, str(problem))
        except (OSError, Busy) as error:
            log.info("no objects are taken from %s: %s", entry, error)
        return False

    def update(self, url: str, clone: Path, *, fresh: bool, changed: bool) -> None:
        """Bring an entry up to date after a fetch; nothing that goes wrong here is a failure."""
        entry = self.entry(url)
        try:
            if not changed and (entry / LIST).is_file():
                return
            make_private(self.folder)
            with self.changing(entry) as scratch:
                update_from(entry, clone, scratch, fresh=fresh)
        except ProgramFailed as error:
            self._drop_broken(entry, error.stderr.strip() or str(error))
        except BrokenEntry as problem:
            self._drop_broken(entry, str(problem))
        except (OSError, Busy) as error:
            log.info("%s is not brought up to date: %s", entry, error)

    def drop(self, entry: Path) -> bool:
        """Remove an entry, unless another run uses it; returns whether it was removed."""
        try:
            with self.changing(entry) as scratch:
                discard(entry, scratch)
                for parent in entry.relative_to(self.folder).parents[:-1]:
                    with suppress(OSError):  # other entries may be below
                        (self.folder / parent).rmdir()
        except (OSError, Busy) as error:
            log.info("%s is not removed: %s", entry, error)
            return False
        return True

    def tidy(self) -> None:
        """Remove what killed runs have left."""
        try:
            names = os.listdir(self.folder / _SCRATCH)  # noqa: PTH208 - mostly, there is none
        except OSError:
            return
        for name in names:
            with suppress(OSError, Busy), self._locked(name, fcntl.LOCK_EX, patience=0.0):
                remove(self.folder / _SCRATCH / name)
        with suppress(OSError):  # another run may have begun
            (self.folder / _SCRATCH).rmdir()

    @contextmanager
    def changing(self, entry: Path) -> Iterator[Path]:
        """A scratch folder for changing an entry, which nobody else can use meanwhile."""
        scratch = self.folder / _SCRATCH / self._name_of(entry)
        with self.locked(entry, fcntl.LOCK_EX, patience=0.0):
            try:
                if scratch.is_dir():  # of a run that was killed
                    remove(scratch)
                yield scratch
            finally:
                with suppress(OSError):
                    remove(scratch)
                    scratch.parent.rmdir()

    def locked(self, entry: Path, how: int, *, patience: float) -> AbstractContextManager[None]:
        """Keep other runs from changing an entry."""
        return self._locked(self._name_of(entry), how, patience=patience)

    def _name_of(self, entry: Path) -> str:
        # Not in the entry, which may go while it is locked.
        return hashlib.sha256(os.fsencode(entry.relative_to(self.folder))).hexdigest()[:16]

    @contextmanager
    def _locked(self, name: str, how: int, *, patience: float) -> Iterator[None]:
        locks = self.folder / ".locks"
        locks.mkdir(exist_ok=True)
        file = os.open(locks / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait_for(file, how, time.monotonic() + patience)
            yield
        finally:
            os.close(file)

    def _drop_broken(self, entry: Path, why: str) -> None:
        log.warning("the cached objects in %s are broken, and removed: %s", entry, why)
        self.drop(entry)


def last_used(entry: Path) -> float:
    """When an entry was last used or changed, by the times of its files."""
    listed = entry / LIST
    return (listed if listed.is_file() else entry).stat().st_mtime


def make_private(folder: Path) -> None:
    """Make the folder, for its owner alone: repositories may be secret."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _wait_for(file: int, how: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise Busy("another run works on it") from error
            time.sleep(_PAUSE)
        else:
            return
