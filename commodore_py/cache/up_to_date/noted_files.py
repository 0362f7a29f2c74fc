"""Whether files are as they were noted, by one look at each: less than half the work of a snapshot.

A folder whose own times are the same has the same names, so it is not listed. Where files differ, a
snapshot is made of the same looks, and of folders that differ.
"""

from __future__ import annotations

import json
import marshal
import os
import stat
from contextlib import suppress
from hashlib import blake2b
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.cache.digests import BY_VALUE

from . import note_file
from .snapshot import OUTSIDE, Snapshot, is_young, outside_row, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .last_run import LastRun
    from .snapshot import Row

NAME = "unchanged-files"
_FOLDERS = "unchanged-folders"
_SCHEMA = "files/v2"
_SEPARATOR = b"\0"
_signs_of = attrgetter("st_mode", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
"""Of all but folders, as in the rows of a snapshot, after the name."""
_SIGNS = 5


class Look(NamedTuple):
    """A look at all files that were noted; the program is as it was then."""

    same: bool
    """Whether the files and folders are, too, and the note is about the same run."""
    program: str
    """The digest of a snapshot of the program."""
    ignored: frozenset[str]
    outside: dict[str, Row]
    folders: dict[bytes, Row]
    changed: frozenset[bytes]
    """Those that may have other names in them."""
    counts: dict[bytes, int]
    """How many files there are in each of the others, unless what is in it does not count."""
    names: list[bytes]
    of_files: list[Row]

    def snapshot(self) -> Snapshot | None:
        """What a snapshot would see; None if only a snapshot can say."""
        try:
            return self._snapshot()
        except OSError:  # a file has taken the place of a folder, or a link has gone
            return None

    def _snapshot(self) -> Snapshot | None:
        found: dict[str, list[Row]] = {f"{OUTSIDE}{at}": [row] for at, row in self.outside.items()}
        snapshot = Snapshot(self.ignored, found)
        here, files = f"{os.getcwd()}/", zip(self.names, self.of_files, strict=True)
        paths = {folder: os.path.join(here, os.fsdecode(folder)) for folder in self.folders}
        for one, count in self.counts.items():
            folder = paths[one]
            rows = found[folder] = [(os.fsdecode(name), *of) for name, of in islice(files, count)]
            for number, row in enumerate(rows):
                if stat.S_ISLNK(int(row[1])):
                    text = os.readlink(f"{folder}/{row[0]}")
                    rows[number] = (*row, text)
                    snapshot.links.append((folder, text))
        for one, path in paths.items():
            above, _, name = path.rpartition("/")
            if above in found and path not in self.ignored:
                found[above].append((name, *self.folders[one][:2]))
        for rows in found.values():
            rows.sort()
        return snapshot if self._is_walked(snapshot, paths) else None

    def _is_walked(self, snapshot: Snapshot, paths: Mapping[bytes, str]) -> bool:
        """Read folders that differ; false if others are not where they were, or for a link."""
        links, changed = len(snapshot.links), {paths[one] for one in self.changed}
        for folder in changed:
            walk(snapshot, folder)
        there = {
            f"{folder}/{row[0]}" for folder in changed for row in snapshot.folders.get(folder, ())
        }
        return len(snapshot.links) == links and all(
            path in there or path in self.ignored
            for path in paths.values()
            if path.rpartition("/")[0] in changed
        )


class _Noted(NamedTuple):
    """What is noted of a snapshot."""

    folders: list[str]
    of_folders: list[Row]
    files: list[list[Row]]

    @property
    def of_files(self) -> list[Row]:
        return [row[1 : _SIGNS + 1] for rows in self.files for row in rows]


def note(state: Path, of: LastRun, run: Snapshot, program: Snapshot, began: int) -> None:
    """Note what was seen, since a moment, of the files that the note of a run is about.

    Nothing is noted where a change could hide behind the same times, or a file is not there by now.
    """
    with suppress(OSError):
        _note(state, of, run, program, began)


def _note(state: Path, of: LastRun, run: Snapshot, program: Snapshot, began: int) -> None:
    if any(folder.startswith(OUTSIDE) for folder in program.folders):
        return
    # The program is on another device where it is in the image of a container.
    ours, noted = _noted(program, began), _noted(run, began, os.stat(state).st_dev)
    if ours is None or noted is None:
        return
    here = f"{os.getcwd()}/"
    outside = [key.removeprefix(OUTSIDE) for key in run.folders if key.startswith(OUTSIDE)]
    own = [*ours.folders, *_paths(ours)]
    # From the current directory, most paths are much shorter.
    folders = [folder.removeprefix(here) for folder in noted.folders]
    head = {
        "about": key(of, run.ignored),
        "run": [of.program, of.files],
        "program": [len(own), _digest([*ours.of_folders, *ours.of_files])],
        "outside": [outside, _digest([run.folders[f"{OUTSIDE}{path}"][0] for path in outside])],
        "folders": [len(folders), _digest(noted.of_folders)],
        "files": [[len(rows) for rows in noted.files], _digest(noted.of_files)],
    }
    names = [*own, *folders, *(str(row[0]) for rows in noted.files for row in rows)]
    file = state / NAME
    content = _SEPARATOR.join(map(os.fsencode, names))
    note_file.write(state / _FOLDERS, _serialised(noted.of_folders))
    note_file.write(file, json.dumps(head).encode() + b"\n" + content)
    if os.stat(state).st_mtime_ns < os.stat(file).st_mtime_ns:
        file.unlink()  # times of folders say nothing in this file system


def look(state: Path, of: LastRun, ignored: frozenset[str]) -> Look | None:
    """Look at the files that a run is about; None if a snapshot has to be taken."""
    content = note_file.read(state / NAME)
    head, _, names = (content or b"").partition(b"\n")
    try:
        stored = json_text.load(head, name=NAME)
        valid = stored["about"] == key(of, ignored)
        return _look(state, of, stored, names.split(_SEPARATOR), ignored) if valid else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _look(
    state: Path,
    of: LastRun,
    stored: dict[str, Any],
    all_names: list[bytes],
    ignored: frozenset[str],
) -> Look | None:
    (own, of_own), (number, of_then) = stored["program"], stored["folders"]
    parts = iter(all_names)
    if _digest(_looks(islice(parts, own))) != of_own:
        return None
    folders = [*islice(parts, number)]
    of_folders = _looks(folders)
    outside = {path: outside_row(path) for path in stored["outside"][0]}
    if _digest([*outside.values()]) != stored["outside"][1]:
        return None
    all_counts, of_same = stored["files"]
    same, changed = _digest(of_folders) == of_then, frozenset[bytes]()
    if not same:
        then = _folders_then(state, of_then)
        if len(then) != number:
            return None
        both = zip(folders, of_folders, then, all_counts, strict=False)
        changed = frozenset(folder for folder, now, before, _ in both if now != before)
    names: list[bytes] = []
    counts: dict[bytes, int] = {}
    for folder, count in zip(folders, all_counts, strict=False):
        inside = [*islice(parts, count)]
        if folder not in changed:
            counts[folder] = count
            names += inside
    if len(names) != sum(counts.values()):
        return None
    inside_of = iter(names)
    paths = (map((one + b"/").__add__, islice(inside_of, n)) for one, n in counts.items())
    of_files = _looks(chain.from_iterable(paths))
    program, run = stored["run"]
    same = same and [program, run] == [of.program, of.files] and _digest(of_files) == of_same
    return Look(
        same,
        program,
        ignored,
        outside,
        dict(zip(folders, of_folders, strict=True)),
        changed,
        counts,
        names,
        of_files,
    )


def _folders_then(state: Path, digest: str) -> list[Row]:
    content = note_file.read(state / _FOLDERS)
    if content is None or _digest_of(content) != digest:
        return []
    found: list[Row] = marshal.loads(content)  # noqa: S302 - the digest is in the other note
    return found


def key(of: LastRun, ignored: Iterable[str]) -> str:
    """What a note can be about: the same files of the same working directory."""
    # The current directory is a part of the environment.
    return _digest([_SCHEMA, of.environment, of.outside, sorted(ignored)])


def _noted(snapshot: Snapshot, began: int, device: int | None = None) -> _Noted | None:
    """Folders, those of which only the mode counts last; None if one may not be noted."""
    folders = [folder for folder in snapshot.folders if not folder.startswith(OUTSIDE)]
    rows = [snapshot.folders[folder] for folder in folders]
    files = [[row for row in inside if len(row) > _SIGNS] for inside in rows]
    inner = {
        f"{folder}/{row[0]}"
        for folder, inside in zip(folders, rows, strict=True)
        for row in inside
        if len(row) <= _SIGNS
    }
    folders += sorted(inner.difference(folders))
    looks = [os.lstat(folder) for folder in folders]
    other = device is not None and any(found.st_dev != device for found in looks)
    if other or any(is_young(found, began) for found in looks):
        return None
    return _Noted(folders, [*map(_signs_of, looks)], files)


def _paths(noted: _Noted) -> list[str]:
    inside = zip(noted.folders, noted.files, strict=False)
    return [f"{folder}/{row[0]}" for folder, rows in inside for row in rows]


def _looks(paths: Iterable[bytes]) -> list[Row]:
    return [*map(_signs_of, map(os.lstat, paths))]


def _digest(values: list[Any]) -> str:
    return _digest_of(_serialised(values))


def _serialised(values: list[Any]) -> bytes:
    return marshal.dumps(values, BY_VALUE)


def _digest_of(content: bytes) -> str:
    return blake2b(content, digest_size=20).hexdigest()
