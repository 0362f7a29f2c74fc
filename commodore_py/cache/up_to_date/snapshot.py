"""Snapshots of folders: names, sizes, times and inodes; no file is opened."""

from __future__ import annotations

import marshal
import os
import stat
import time
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.cache.digests import BY_VALUE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

Row: TypeAlias = tuple[str | int, ...]
"""Name, mode, inode; of all but folders also size, mtime, ctime; of a link also its text."""

_FINE_CLOCK = 25_000_000
_COARSE_CLOCK = 2_000_000_000
_CTIME = 5
_MOST_OUTSIDE = 30_000
_MOST = 500_000
# Of Git's own folders: refs and indexes name all contents, and logs do not count.
_GIT_ONLY = frozenset({"objects", "logs", "branches"})
_NO_HOOK = ".sample"
_GIT_SIGNS = frozenset({"HEAD", "refs"})
_NOTHING: frozenset[str] = frozenset()

OUTSIDE = "outside:"
"""Before a path that is not below the folder of a snapshot."""


class TooMuch(Exception):
    """There are more files than can be compared each time."""


class Snapshot:
    """Folders and what is in them, as it was at one moment; of links, also their texts."""

    __slots__ = ("_ignored_everywhere", "_ignored_in", "_rows", "folders", "ignored", "links")

    def __init__(
        self,
        ignored: frozenset[str] = frozenset(),
        folders: dict[str, list[Row]] | None = None,
        links: Iterable[tuple[str, str]] = (),
        *,
        ignored_everywhere: frozenset[str] = _NOTHING,
    ) -> None:
        self.ignored = ignored
        self._ignored_everywhere = ignored_everywhere
        self.folders = {} if folders is None else folders
        self.links = list(links)
        self._rows: dict[str, dict[str, Row]] = {}
        self._ignored_in: dict[str, set[str]] = {}
        for path in ignored:
            folder, _, name = path.rpartition("/")
            self._ignored_in.setdefault(folder, {*ignored_everywhere}).add(name)

    def rows_now(self, folder: str) -> list[Row]:
        """The entries of a folder at this moment."""
        return _rows(folder, self._ignored_in.get(folder, self._ignored_everywhere))

    def digest(self) -> str:
        """The digest of all of it."""
        content = marshal.dumps(sorted(self.folders.items()), BY_VALUE)
        return blake2b(content, digest_size=20).hexdigest()

    def is_part_of(self, other: Snapshot) -> bool:
        """Whether another snapshot has all of these folders, unchanged."""
        return all(other.folders.get(folder) == rows for folder, rows in self.folders.items())

    def row(self, path: str) -> Row | None:
        """The entry at a path."""
        folder, _, name = path.rpartition("/")
        if folder not in self._rows:
            self._rows[folder] = {str(row[0]): row for row in self.folders.get(folder, ())}
        return self._rows[folder].get(name)

    def changed_since(self, before: Snapshot) -> Iterator[str]:
        """Paths of what came, went or changed; of a folder that came, all that is in it."""
        for folder in self.folders.keys() | before.folders.keys():
            now, then = self.folders.get(folder), before.folders.get(folder)
            if now == then:
                continue
            different = set(now or ()) ^ set(then or ())
            yield from (f"{folder}/{name}" for name in {row[0] for row in different})

    def is_older(self, path: str, than: int) -> bool:
        """Whether a path did not change, come or go since a moment, going by times."""
        row = self.row(path)
        if row is None:
            return False
        own = int(row[_CTIME]) if len(row) > _CTIME else _last_change(path)
        return max(own, _last_change(path.rpartition("/")[0])) < than - _FINE_CLOCK

    def is_settled(self) -> bool:
        """Wait until another change could not hide behind the same times; False if that is long.

        Times of files are only as exact as the clock of their file system.
        """
        young = [folder for folder, rows in self.folders.items() if _newest(rows) > _now() - 2e9]
        newest = max((_newest(self.folders[folder]) for folder in young), default=0)
        coarse = any(
            row[_CTIME] % 1_000_000 == 0
            for folder in young
            for row in self.folders[folder]
            if len(row) > _CTIME
        )
        left = newest + (_COARSE_CLOCK if coarse else _FINE_CLOCK) - _now()
        if left <= 0:
            return True
        if coarse or left > _FINE_CLOCK:  # that long, or of a clock that is ahead of ours
            return False
        time.sleep(left / 1e9)
        limit = newest - _FINE_CLOCK
        return all(
            not folder.startswith(OUTSIDE) and self.rows_now(folder) == self.folders[folder]
            for folder in young
            if _newest(self.folders[folder]) >= limit
        )


def take(
    root: str,
    more: Iterable[str] = (),
    *,
    ignored: frozenset[str],
    ignored_everywhere: frozenset[str] = _NOTHING,
) -> Snapshot:
    """Everything below a folder, what links in it lead to, and what else is named.

    Some paths are `ignored`, and some names wherever they are. Raises OSError where something
    cannot be read, TooMuch where there are too many files.
    """
    return _completed(Snapshot(ignored, ignored_everywhere=ignored_everywhere), root, more)


def take_again(
    before: Snapshot,
    root: str,
    more: Iterable[str] = (),
    *,
    written: Iterable[str],
    ignored: frozenset[str],
) -> Snapshot:
    """The same, but below the folder only what was written is read again."""
    snapshot = Snapshot(ignored)
    places = {f"{root}/{name}" for name in written}
    around = {above for place in places for above in _folders_above(place)}
    left, inside = (*(f"{place}/" for place in places),), f"{root}/"
    for folder, rows in before.folders.items():
        same = folder.startswith(inside) and not folder.startswith(left)
        if same and folder not in places and folder not in around:
            snapshot.folders[folder] = rows
    snapshot.links += (link for link in before.links if link[0] in snapshot.folders)
    return _completed(snapshot, root, more)


def _folders_above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _completed(snapshot: Snapshot, root: str, more: Iterable[str]) -> Snapshot:
    if os.path.lexists(root):
        walk(snapshot, root)
    for path in more:
        _add_outside(snapshot, path)
    done: set[tuple[str, str]] = set()
    for link in snapshot.links:  # which grow meanwhile
        if link in done:
            continue
        done.add(link)
        folder, text = link
        target = os.path.normpath(os.path.join(folder, text))
        if not _is_below(target, root, snapshot.ignored):
            _add_outside(snapshot, target)
    return snapshot


def walk(snapshot: Snapshot, start: str, *, limit: int = _MOST) -> None:
    """Add a folder, and those in it that a snapshot does not have."""
    waiting, entries = [start], 0
    while waiting:
        folder = waiting.pop()
        if folder in snapshot.folders:
            continue
        rows = snapshot.rows_now(folder)
        snapshot.folders[folder] = rows
        inner: list[str] = []
        for row in rows:
            kind = stat.S_IFMT(row[1])  # type: ignore[arg-type] # a mode
            if kind == stat.S_IFDIR:
                inner.append(row[0])  # type: ignore[arg-type] # a name
            elif kind == stat.S_IFLNK:
                snapshot.links.append((folder, row[-1]))  # type: ignore[arg-type] # a text
        skipped = _GIT_ONLY if {row[0] for row in rows} >= _GIT_SIGNS else frozenset()
        for name in inner:
            path = f"{folder}/{name}"
            if name not in skipped:
                waiting.append(path)
        entries += len(rows)
        if entries > limit:
            raise TooMuch(start)


def _rows(folder: str, ignored: Collection[str]) -> list[Row]:
    rows: list[Row] = []
    hooks = _are_hooks(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in ignored or (hooks and entry.name.endswith(_NO_HOOK)):
                continue  # hooks: a dozen in each clone, and Git never runs them
            found = entry.stat(follow_symlinks=False)
            mode = found.st_mode
            if stat.S_ISDIR(mode):
                rows.append((entry.name, mode, found.st_ino))
                continue
            row = (
                entry.name,
                mode,
                found.st_ino,
                found.st_size,
                found.st_mtime_ns,
                found.st_ctime_ns,
            )
            link = stat.S_ISLNK(mode)
            rows.append((*row, os.readlink(entry.path)) if link else row)
    rows.sort()
    return rows


def _are_hooks(folder: str) -> bool:
    above, _, name = folder.rpartition("/")
    return name == "hooks" and all(os.path.lexists(f"{above}/{one}") for one in _GIT_SIGNS)


def _add_outside(snapshot: Snapshot, path: str) -> None:
    key = f"{OUTSIDE}{path}"
    if key not in snapshot.folders:
        row = outside_row(path)
        snapshot.folders[key] = [row]
        if stat.S_ISDIR(int(row[1])):
            walk(snapshot, str(row[-1]), limit=_MOST_OUTSIDE)


def outside_row(path: str) -> Row:
    """What is at a path outside, and where that really is."""
    real = os.path.realpath(path)
    try:
        found = os.stat(real)
    except (FileNotFoundError, NotADirectoryError):
        return ("", 0, 0, real)
    if stat.S_ISDIR(found.st_mode):
        return ("", found.st_mode, found.st_ino, real)
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return ("", found.st_mode, found.st_ino, found.st_size, *times, real)


def is_young(found: os.stat_result, than: int) -> bool:
    """Whether something may change after a moment without another time, going by the clock."""
    newest = max(found.st_mtime_ns, found.st_ctime_ns)
    coarse = newest % 1_000_000 == 0
    return newest + (_COARSE_CLOCK if coarse else _FINE_CLOCK) >= than


def _last_change(folder: str) -> int:
    """When something last came into a folder or went, or it was put there itself."""
    path = folder.removeprefix(OUTSIDE)
    try:
        return max(os.lstat(path).st_ctime_ns, os.stat(path).st_ctime_ns)
    except OSError:  # it does not exist: the folder above shows whether it ever did
        above = os.path.dirname(path)
        return os.stat(above).st_ctime_ns if os.path.isdir(above) else 0


def _is_below(path: str, root: str, ignored: frozenset[str]) -> bool:
    if path != root and not path.startswith(f"{root}/"):
        return False
    return not any(path == out or path.startswith(f"{out}/") for out in ignored)


def _newest(rows: list[Row]) -> int:
    return max((row[_CTIME] for row in rows if len(row) > _CTIME), default=0)  # type: ignore[return-value] # times


def _now() -> int:
    return time.time_ns()
