"""The user's mirrors: a bare repository per remote, which new clones are copied from.

Nothing else uses them: they can be deleted at any time.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git.copies import copy_bare
from commodore_py.adapters.git.program import fetch, git, succeeds
from commodore_py.adapters.git.refs import list_remote
from commodore_py.adapters.process import ProgramFailed
from commodore_py.cache.trust import is_trusted
from commodore_py.dependencies.bare_repositories import (
    FOLDERS,
    make_bare,
    put_in_place,
    remove_bare,
)

from .remotes import has_versions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.config import Config
    from commodore_py.errors import CommodoreError

log = logging.getLogger(__name__)

_PAUSE = 0.05
_NEW = ".new"


class Busy(Exception):
    """Another run uses a mirror."""


@dataclass(frozen=True, slots=True)
class Mirrors:
    """A directory of mirrors."""

    folder: Path
    patience: float = 10.0
    """Seconds to wait for another run, before a clone is made without its mirror."""

    @classmethod
    def of(cls, config: Config) -> Mirrors | None:
        """The ones that the settings name, if they name any."""
        folder = config.git_cache
        if folder is None or not is_trusted("the cache of Git objects", folder):
            return None
        return cls(folder)

    def place(self, url: str) -> Path:
        """The mirror of a remote, whether it exists or not."""
        return self.folder / git_urls.dependency_key(url)

    def has(self, url: str) -> bool:
        """Return whether there is a mirror of a remote."""
        return (self.place(url) / "HEAD").is_file()

    def entries(self) -> Iterator[Path]:
        """All mirrors."""
        for parent, names, files in os.walk(self.folder):
            if is_unfinished(os.path.basename(parent)):  # noqa: PTH119 - a name among thousands
                names.clear()
            elif "HEAD" in files:
                yield Path(parent)
                # The path of a remote may be below that of another.
                names[:] = [name for name in names if name not in FOLDERS]

    def copy(self, url: str, clone: Path, versions: Collection[str], listed: Refs | None) -> bool:
        """Make a bare clone from the mirror; False where there can be none.

        The mirror is made, or fetched unless it has the versions as they are `listed`.
        """
        mirror, address = self.place(url), git_urls.normalise(url)
        try:
            make_private(self.folder)
            with self.locked(mirror, patience=self.patience):
                self._update(mirror, address, versions, listed)
                copy_bare(mirror, clone, FOLDERS)
        except (OSError, Busy) as error:
            log.info("no mirror is used of %s: %s", mirror.relative_to(self.folder), error)
        except ProgramFailed as error:
            list_remote(address)  # if this fails, too, the mirror is not to blame
            log.info("no mirror is used of %s: %s", mirror.relative_to(self.folder), error)
            self.drop_if_damaged(url, error)
        else:
            return True
        remove(clone)
        return False

    def drop_if_damaged(self, url: str, error: CommodoreError) -> bool:
        """Remove a mirror that Git cannot use, and return whether it was."""
        if not isinstance(error, ProgramFailed):
            return False
        mirror, reason = self.place(url), error.stderr.strip() or str(error)
        if not self.has(url) or succeeds(mirror, "fsck", "--no-dangling", "--no-progress"):
            return False
        log.warning("the mirror in %s is damaged, and removed: %s", mirror, reason)
        return self.drop(mirror)

    def drop(self, mirror: Path) -> bool:
        """Remove a mirror, unless another run uses it; returns whether it was removed."""
        try:
            with self.locked(mirror, patience=0.0):
                remove_bare(mirror)
                for parent in mirror.relative_to(self.folder).parents[:-1]:
                    with suppress(OSError):  # other mirrors may be below
                        (self.folder / parent).rmdir()
        except (OSError, Busy) as error:
            log.info("%s is not removed: %s", mirror, error)
            return False
        return True

    def _update(
        self, mirror: Path, address: str, versions: Collection[str], listed: Refs | None
    ) -> None:
        """Make a mirror, or fetch it unless it has the versions."""
        is_new = not (mirror / "HEAD").is_file()
        if is_new or not has_versions(mirror, versions, listed):
            if is_new:
                self._create(mirror, address)
            else:
                fetch(mirror, address, replace_tags=True)
            git(mirror, "pack-refs", "--all")  # one file to copy
        os.utime(mirror)

    def _create(self, mirror: Path, address: str) -> None:
        aside = mirror.with_name(f".{mirror.name}{_NEW}")
        remove(aside)  # of a run that was killed
        aside.parent.mkdir(parents=True, exist_ok=True)
        try:
            make_bare(aside, address)
            aside.chmod(0o700)
            remove_bare(mirror)
            put_in_place(aside, mirror)
        finally:
            remove(aside)

    @contextmanager
    def locked(self, mirror: Path, *, patience: float) -> Iterator[None]:
        """Keep other runs from using a mirror."""
        # Not in the mirror, which may be removed while it is locked.
        name = hashlib.sha256(os.fsencode(mirror.relative_to(self.folder))).hexdigest()[:16]
        locks = self.folder / ".locks"
        locks.mkdir(exist_ok=True)
        file = os.open(locks / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait_for(file, time.monotonic() + patience)
            yield
        finally:
            os.close(file)


def make_private(folder: Path) -> None:
    """Make the directory, for its owner alone: repositories may be secret."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def is_unfinished(name: str) -> bool:
    """Return whether a directory is a mirror that is being made, or that a killed run left."""
    return name.startswith(".") and name.endswith(_NEW)


def _wait_for(file: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise Busy("another run uses it") from error
            time.sleep(_PAUSE)
        else:
            return
