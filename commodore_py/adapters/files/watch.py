"""Notice changes of files by polling, without notifications of the system."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import NotReadable, bytes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_SECONDS = 0.4
_MOST_ROUNDS = 25
"""How often changes may follow each other before they are told: some files always change."""
_PAUSE = 9  # times as long as it took to read a large tree
_GIT = frozenset({".git", ".repos"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was: a new time alone is not a change."""

    time: int
    size: int
    digest: bytes


class Watched:
    """The files of some folders, as they were at the last check.

    Names at the top of a folder that are `skipped` are not looked at, nor are the paths `apart`.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        skipped: Collection[str] = (),
        apart: Iterable[Path] = (),
    ) -> None:
        self._folders = tuple(map(str, folders))
        self._skipped = frozenset(skipped)
        self._apart = frozenset(map(str, apart))
        self._seen: Mapping[Path, Seen] = {}
        self._waiting: set[Path] = set()
        self.changed()

    def changed(self) -> tuple[Path, ...]:
        """Files that were added, removed or changed since the last check."""
        before = self._seen
        now: dict[Path, Seen] = {}
        for file in self._files():
            seen = _look(file, before.get(file))
            if seen is not None:
                now[file] = seen
        self._seen = now
        different = {file for file, seen in now.items() if _differs(seen, before.get(file))}
        return tuple(sorted(different | (before.keys() - now.keys())))

    def accept(self, folder: Path) -> None:
        """Let the changes below a folder be as they are: a run has made them."""
        self._waiting |= {one for one in self.changed() if folder not in one.parents}

    def wait(self) -> tuple[Path, ...]:
        """Wait for a change, and until no more follow: an editor or Git writes several files."""
        found, self._waiting = self._waiting, set()
        rounds = 0
        while True:
            began = time.monotonic()
            new = self.changed()
            found.update(new)
            rounds += bool(found)
            if found and (not new or rounds > _MOST_ROUNDS):
                return tuple(sorted(found))
            time.sleep(max(_SECONDS, _PAUSE * (time.monotonic() - began)))

    def _files(self) -> Iterator[Path]:
        for top in self._folders:
            for parent, folders, files in os.walk(top):
                skipped = self._skipped | _GIT if parent == top else _GIT
                folders[:] = [name for name in folders if self._counts(parent, name, skipped)]
                names = (name for name in files if self._counts(parent, name, skipped))
                yield from (Path(parent, name) for name in names)

    def _counts(self, parent: str, name: str, skipped: frozenset[str]) -> bool:
        return name not in skipped and f"{parent}/{name}" not in self._apart


def _look(file: Path, before: Seen | None) -> Seen | None:
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        if before and (status.st_mtime_ns, status.st_size) == (before.time, before.size):
            return before
        digest = hashlib.sha256(bytes_of(str(file))).digest()
    except (OSError, NotReadable):  # just removed, or not readable
        return None
    return Seen(status.st_mtime_ns, status.st_size, digest)


def _differs(seen: Seen, before: Seen | None) -> bool:
    return before is None or seen.digest != before.digest
