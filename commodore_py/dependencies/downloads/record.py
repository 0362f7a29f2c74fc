"""The record of files that downloads wrote, to find out whether they were modified since."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import content_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.archives import Member

_SCHEMA = "vendored/v1"
_NAME = "commodore-vendored.json"
_SIZE_AND_TIME = (-1, -1)  # earlier versions compared these first


@dataclass(slots=True)
class Record:
    """The record file of one checkout or working directory."""

    file: Path
    root: Path
    digest: str
    """Of what the last run wrote; empty while it is being written."""
    files: dict[str, tuple[str, ...]]
    """The digests of each as written, by its path below the root; two while it is replaced."""

    @classmethod
    def read(cls, folder: Path, root: Path) -> Record:
        """Read the record in a folder about paths below a root, which may have been moved."""
        file, digest, files = folder / _NAME, "", dict[str, tuple[str, ...]]()
        try:
            content = json_text.load(file.read_bytes(), name=str(file))
            for name, place in (content["places"] if content["schema"] == _SCHEMA else {}).items():
                digest = str(place["digest"])
                files |= {
                    os.path.normpath(f"{name}/{path}"): tuple(state[len(_SIZE_AND_TIME) :])
                    for path, state in place["files"].items()
                }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            return cls(file, root, "", {})
        return cls(file, root, digest, files)

    def name(self, place: Path) -> str:
        """The key of a path in the record."""
        return os.path.relpath(place, self.root)

    def is_unmodified(self) -> bool:
        """Return whether all files are as they were written."""
        return all(
            state_of(self.root / path) in digests
            for path, digests in self.files.items()
            if not is_scratch(path)
        )

    def write(self) -> None:
        """Write the record file; earlier versions had a place for each download."""
        files = {path: [*_SIZE_AND_TIME, *digests] for path, digests in sorted(self.files.items())}
        content = {"schema": _SCHEMA, "places": {".": {"digest": self.digest, "files": files}}}
        write_if_changed(self.file, json.dumps(content, indent=0).encode())


def state_of(path: Path) -> str:
    """The digest of a file or link; `folder`, or empty if there is nothing."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a name of a damaged record
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


def is_scratch(path: str) -> bool:
    """Return whether Git rewrites a file on read access."""
    return path == ".git/index" or path.endswith("/.git/index")


def _digest(kind: str, content: bytes) -> str:
    return hashlib.sha256(kind.encode() + b"\0" + content).hexdigest()
