"""Notice changes of a repository's files by polling, without notifications of the system."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SECONDS = 0.4
# What a compile writes by itself, and what Git does.
_GENERATED = {
    ".cache",
    ".git",
    "compiled",
    "dependencies",
    "helmcharts",
    "jsonnetfile.lock.json",
    "vendor",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was: a new time alone is not a change."""

    time: int
    size: int
    digest: bytes


class Watched:
    """The files of some folders, as they were at the last check."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._seen: Mapping[Path, Seen] = {}
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

    def wait(self) -> tuple[Path, ...]:
        """Wait for a change."""
        while not (found := self.changed()):
            time.sleep(_SECONDS)
        return found

    def _files(self) -> Iterator[Path]:
        for top in self._folders:
            for parent, folders, files in os.walk(top):
                skipped = _GENERATED if Path(parent) == top else {".git"}
                folders[:] = [name for name in folders if name not in skipped]
                yield from (Path(parent, name) for name in files if name not in skipped)


def _look(file: Path, before: Seen | None) -> Seen | None:
    try:
        status = file.stat()
        if before and (status.st_mtime_ns, status.st_size) == (before.time, before.size):
            return before
        digest = hashlib.sha256(bytes_of(str(file))).digest()
    except OSError:  # just removed, or not readable
        return None
    return Seen(status.st_mtime_ns, status.st_size, digest)


def _differs(seen: Seen, before: Seen | None) -> bool:
    return before is None or seen.digest != before.digest
