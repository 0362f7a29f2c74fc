"""The record of files that downloads wrote, to find out whether they were modified since."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import content_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.archives import Member

_SCHEMA = "vendored/v1"
_NAME = "commodore-vendored.json"


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as written: its digests (two while it is being replaced), size and time."""

    digests: tuple[str, ...]
    size: int = -1
    time: int = -1

    @classmethod
    def of(cls, path: Path, digest: str) -> FileState:
        """The state of a file with a known digest."""
        status = path.lstat()
        return cls((digest,), status.st_size, status.st_mtime_ns)

    def matches(self, path: Path) -> bool:
        """Return whether the file is unmodified; reads it only if size or time differ."""
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        if (status.st_size, status.st_mtime_ns) == (self.size, self.time):
            return True
        return state_of(path) in self.digests


@dataclass(slots=True)
class Placed:
    """The files of one download."""

    digest: str
    """The digest of the whole download; empty while it is being written."""
    files: dict[str, FileState] = field(default_factory=dict)


@dataclass(slots=True)
class Record:
    """The record file of one checkout or working directory."""

    file: Path
    root: Path
    places: dict[str, Placed]

    @classmethod
    def read(cls, folder: Path, root: Path) -> Record:
        """Read the record in a folder about paths below a root, which may have been moved."""
        file = folder / _NAME
        try:
            content = json_text.load(file.read_bytes(), name=str(file))
            saved = content["places"] if content["schema"] == _SCHEMA else {}
            places = {
                str(name): Placed(
                    str(place["digest"]),
                    {
                        str(path): FileState(tuple(state[2:]), state[0], state[1])
                        for path, state in place["files"].items()
                    },
                )
                for name, place in saved.items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            places = {}
        return cls(file, root, places)

    def name(self, place: Path) -> str:
        """The key of a path in the record."""
        return os.path.relpath(place, self.root)

    def at(self, place: Path) -> Placed | None:
        """The download that was written to a path, if any."""
        return self.places.get(self.name(place))

    def set(self, place: Path, placed: Placed) -> None:
        """Record what was written to a path."""
        self.places[self.name(place)] = placed

    def write(self) -> None:
        """Write the record file."""
        content = {
            "schema": _SCHEMA,
            "places": {
                name: {
                    "digest": placed.digest,
                    "files": {
                        path: [state.size, state.time, *state.digests]
                        for path, state in sorted(placed.files.items())
                    },
                }
                for name, placed in sorted(self.places.items())
            },
        }
        write_if_changed(self.file, json.dumps(content, indent=0).encode())


def state_of(path: Path) -> str:
    """The digest of a file or link; `folder`, or empty if there is nothing."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if stat.S_ISLNK(status.st_mode):
        return _digest("link", os.fsencode(path.readlink()))
    if not stat.S_ISREG(status.st_mode):
        return "folder" if stat.S_ISDIR(status.st_mode) else ""
    kind = "program" if status.st_mode & stat.S_IXUSR else "file"
    return _digest(kind, content_of(path))


def wanted_state(member: Member) -> str:
    """The digest that a member will have on disk."""
    if member.folder:
        return "folder"
    if member.link:
        return _digest("link", os.fsencode(member.link))
    return _digest("program" if member.executable else "file", member.content)


def is_unmodified(placed: Placed, place: Path) -> bool:
    """Return whether all files of a download are unmodified."""
    return all(
        state.matches(place / path if path else place)
        for path, state in placed.files.items()
        if not is_scratch(path)
    )


def is_scratch(path: str) -> bool:
    """Return whether Git rewrites a file on read access."""
    return path == ".git/index" or path.endswith("/.git/index")


def _digest(kind: str, content: bytes) -> str:
    return hashlib.sha256(kind.encode() + b"\0" + content).hexdigest()
