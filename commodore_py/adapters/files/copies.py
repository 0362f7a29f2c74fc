"""Files as they were: copied aside with their places, and put back."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text

from .opening import make_folder
from .writing import copy_file, remove, remove_empty, rename, write_if_changed, write_link

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Mark = tuple[int | str, ...]
"""The fingerprint of a file, from its status; for a link, its target."""

_NOT_OURS = ".git"


@dataclass(frozen=True, slots=True)
class Listing:
    """The files, links and folders at some paths of a folder; names are relative to it."""

    marks: Mapping[str, Mark]
    folders: frozenset[str]


def list_files(base: Path, roots: Iterable[str]) -> Listing:
    """Files, links and folders at these places and below, but for what is Git's own."""
    marks: dict[str, Mark] = {}
    folders: set[str] = set()
    waiting = [name for name in roots if os.path.lexists(base / name)]
    while waiting:
        name = waiting.pop()
        path = base / name
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            folders.add(name)
            children = (child for child in os.listdir(path) if child != _NOT_OURS)  # noqa: PTH208 - names
            waiting += (child if name == "." else f"{name}/{child}" for child in children)
        elif stat.S_ISLNK(status.st_mode):
            marks[name] = (os.readlink(path),)  # noqa: PTH115 - as text
        elif stat.S_ISREG(status.st_mode):
            times = (status.st_mtime_ns, status.st_ctime_ns)
            marks[name] = (status.st_mode, status.st_ino, status.st_size, *times)
    return Listing(marks, frozenset(folders - {"."}))


@dataclass(frozen=True, slots=True)
class Copies:
    """A folder that keeps copies until they have been put back."""

    folder: Path

    @property
    def _notes(self) -> Path:
        return self.folder / "notes.json"

    def note(self, base: Path, roots: Collection[str]) -> Listing:
        """Copy the files at these paths and list them; valid once everything is written."""
        listing = list_files(base, roots)
        remove(self._unfinished)
        for name, mark in listing.marks.items():
            if not isinstance(mark[0], str):
                copy_file(base / name, self._unfinished / "files" / name)
        notes = {
            # The working directory may be moved before this is read.
            "base": os.path.relpath(os.path.realpath(base), os.path.realpath(self.folder.parent)),
            "roots": sorted(roots),
            "marks": dict(listing.marks),
            "folders": sorted(listing.folders),
        }
        write_if_changed(self._unfinished / self._notes.name, json.dumps(notes).encode())
        rename(self._unfinished, self.folder)
        return listing

    def put_back(self, *, spare: Collection[str] = ()) -> Path | None:
        """Make everything as it was noted, if there are notes; returns the folder that it is in.

        Files to `spare` have come since, and stay.
        """
        remove(self._unfinished)
        base = None
        with suppress(FileNotFoundError):
            notes: dict[str, Any] = json_text.load(self._notes.read_bytes(), name=str(self._notes))
            base = Path(os.path.normpath(self.folder.parent.resolve() / notes["base"]))
            if base.is_dir():
                self._restore(base, notes, frozenset(spare))
            # First of all: what is left without its notes is only swept up.
            remove(self._notes)
        remove(self.folder)
        return base

    @property
    def _unfinished(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.new")

    def _restore(self, base: Path, notes: Mapping[str, Any], spare: frozenset[str]) -> None:
        marks = {name: tuple(mark) for name, mark in notes["marks"].items()}
        folders = set(notes["folders"])
        now = list_files(base, notes["roots"])
        wrong = {name for name, mark in now.marks.items() if marks.get(name) != mark}
        for name in sorted(wrong - marks.keys() - spare):
            remove(base / name)
        for name in sorted(now.folders - folders, reverse=True):
            remove_empty(base / name)  # a foreign file keeps its folder
        for name in sorted(folders):
            if not (base / name).is_dir() or (base / name).is_symlink():
                remove(base / name)
                make_folder(base / name)
        for name in sorted(marks.keys() & wrong | marks.keys() - now.marks.keys()):
            remove(base / name)
            if isinstance(target := marks[name][0], str):
                write_link(base / name, target)
            else:
                copy_file(self.folder / "files" / name, base / name)
