"""Which files we put where ourselves, and whether they are still as we left them."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.archives import Member

_SCHEMA = "vendored/v1"
_NAME = "commodore-vendored.json"


@dataclass(frozen=True, slots=True)
class Mark:
    """A file as we left it: its digests (two while it is being replaced), size and time."""

    digests: tuple[str, ...]
    size: int = -1
    time: int = -1

    @classmethod
    def of(cls, path: Path, digest: str) -> Mark:
        """What is there now, known to have that digest."""
        status = path.lstat()
        return cls((digest,), status.st_size, status.st_mtime_ns)

    def fits(self, path: Path) -> bool:
        """Whether a path still holds that; only what looks different is read."""
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        if (status.st_size, status.st_mtime_ns) == (self.size, self.time):
            return True
        return state_of(path) in self.digests


@dataclass(slots=True)
class Placed:
    """What we put at one place."""

    digest: str
    """Of all of it; empty while it is being changed."""
    files: dict[str, Mark] = field(default_factory=dict)


@dataclass(slots=True)
class Record:
    """A file of notes, which belongs to the checkout that the places are in."""

    file: Path
    root: Path
    places: dict[str, Placed]

    @classmethod
    def read(cls, folder: Path, root: Path) -> Record:
        """The notes in a folder about places below a root, that may be moved."""
        file = folder / _NAME
        try:
            content = json.loads(file.read_bytes())
            known = content["places"] if content["schema"] == _SCHEMA else {}
            places = {
                str(name): Placed(
                    str(place["digest"]),
                    {
                        str(path): Mark(tuple(mark[2:]), mark[0], mark[1])
                        for path, mark in place["files"].items()
                    },
                )
                for name, place in known.items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            places = {}
        return cls(file, root, places)

    def name(self, place: Path) -> str:
        """A place as it is noted."""
        return os.path.relpath(place, self.root)

    def at(self, place: Path) -> Placed | None:
        """What we put there, if we did."""
        return self.places.get(self.name(place))

    def write(self) -> None:
        """Keep the notes."""
        content = {
            "schema": _SCHEMA,
            "places": {
                name: {
                    "digest": placed.digest,
                    "files": {
                        path: [mark.size, mark.time, *mark.digests]
                        for path, mark in sorted(placed.files.items())
                    },
                }
                for name, placed in sorted(self.places.items())
            },
        }
        write_if_changed(self.file, json.dumps(content, indent=0).encode())


def state_of(path: Path) -> str:
    """What is at a path: the digest of a file or link; empty for anything else."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if stat.S_ISLNK(status.st_mode):
        return _digest("link", os.fsencode(path.readlink()))
    if not stat.S_ISREG(status.st_mode):
        return "folder" if stat.S_ISDIR(status.st_mode) else ""
    kind = "program" if status.st_mode & stat.S_IXUSR else "file"
    return _digest(kind, path.read_bytes())


def wanted_state(member: Member) -> str:
    """What will be at the path of a member."""
    if member.folder:
        return "folder"
    if member.link:
        return _digest("link", os.fsencode(member.link))
    return _digest("program" if member.executable else "file", member.content)


def all_fit(placed: Placed, place: Path) -> bool:
    """Whether a whole place is as we left it."""
    return all(
        mark.fits(place / path if path else place)
        for path, mark in placed.files.items()
        if not is_scratch(path)
    )


def is_scratch(path: str) -> bool:
    """Whether Git rewrites a file whenever somebody looks."""
    return path == ".git/index" or path.endswith("/.git/index")


def _digest(kind: str, content: bytes) -> str:
    return hashlib.sha256(kind.encode() + b"\0" + content).hexdigest()
