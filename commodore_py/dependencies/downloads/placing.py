"""Write downloads to their paths: replace what an earlier run wrote, keep all other files.

A record of what was written tells whether it was modified since.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import (
    anchored,
    asides_in,
    make_folder,
    remove,
    remove_empty,
    rename,
    write_if_changed,
    write_link,
)
from commodore_py.adapters.git.program import succeeds
from commodore_py.adapters.git.repository import git_folder_of
from commodore_py.adapters.reading import content_of
from commodore_py.dependencies.protection.local_work import moment
from commodore_py.errors import CommodoreError

from .plan import Placement, planned_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from commodore_py.adapters.files.archives import Member

    from .bounds import Bounds

log = logging.getLogger(__name__)

_SCHEMA = "vendored/v1"
_NAME = "commodore-vendored.json"
_SIZE_AND_TIME = (-1, -1)  # earlier versions compared these first
_CONFLICTS = "conflicts"  # in place of a digest, so that each run reports them


def put_all(
    placements: Iterable[Placement], bounds: Bounds, warn: Callable[[CommodoreError], None]
) -> None:
    """Write all placements; of two with the same path, the later one wins."""
    by_record: dict[Path, tuple[Record, list[Placement]]] = {}
    for placement in placements:
        record = _record_of(placement.path, bounds)
        by_record.setdefault(record.file, (record, []))[1].append(placement)
    for record, mine in by_record.values():
        lines = (f"{record.name(placement.path)} {placement.digest}\n" for placement in mine)
        digest = hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()
        if digest == record.digest and record.is_unmodified():
            continue
        conflicts: list[CommodoreError] = []
        planned = planned_files(mine, bounds, conflicts.append)
        for conflict in conflicts:
            warn(conflict)
            digest = _CONFLICTS
        with anchored(record.root):
            _Writer(record, mine, planned, warn).write(digest)


def _record_of(place: Path, bounds: Bounds) -> Record:
    """The record of the checkout that contains a path."""
    for checkout in sorted({*bounds.checkouts.values()}, key=lambda p: len(str(p)), reverse=True):
        root = checkout.resolve()
        folder = git_folder_of(root) if place.is_relative_to(root) else None
        if folder is not None:
            return Record.read(folder, root)
    return Record.read(bounds.paths.state, bounds.paths.root.resolve())


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


@dataclass(slots=True)
class _Writer:
    """The placements of one record."""

    record: Record
    placements: Sequence[Placement]
    planned: dict[Path, tuple[Member, Placement]]
    warn: Callable[[CommodoreError], None]
    ours: dict[Path, tuple[str, ...]] = field(init=False)
    """What earlier runs wrote to the paths of the placements."""
    backups: str = field(default_factory=moment)
    """The name of the folder for files that are moved away."""

    def __post_init__(self) -> None:
        paths = {placement.path for placement in self.placements}
        self.ours = {
            path: digests
            for name, digests in self.record.files.items()
            if not paths.isdisjoint(((path := self.record.root / name), *path.parents))
        }

    def write(self, digest: str) -> None:
        """Write the planned files, remove our other ones, and keep foreign ones."""
        if not self.record.digest:
            self._remove_leftovers()
        self._announce()
        for target in sorted(self.ours.keys() - self.planned.keys(), reverse=True):
            self._remove_ours(target)
        for placement in self.placements:
            if placement.path not in self.planned:
                self._make_folder(placement.path, placement)
        for target, (member, placement) in self.planned.items():
            self._write(target, member, placement)
        for target in self.ours:
            del self.record.files[self.record.name(target)]
        self.record.files |= {
            self.record.name(target): (wanted_state(member),)
            for target, (member, _) in self.planned.items()
        }
        self.record.digest = digest
        self.record.write()

    def _remove_leftovers(self) -> None:
        """Remove temporary files of a run that was killed."""
        for path in {placement.path for placement in self.placements}:
            folder = path if path.is_dir() else path.parent
            for leftover in asides_in(folder, deep=folder == path) if folder.is_dir() else ():
                remove(leftover)

    def _announce(self) -> None:
        """Record the files before they are written: after a kill, the next run must know them."""
        for target, (member, _) in self.planned.items():
            name = self.record.name(target)
            digests = (*self.record.files.get(name, ()), wanted_state(member))
            self.record.files[name] = tuple(dict.fromkeys(digests))
        self.record.digest = ""
        self.record.write()

    def _remove_ours(self, target: Path) -> None:
        if state_of(target) not in self.ours[target]:
            return  # modified or removed since
        if target.is_dir() and not target.is_symlink():
            remove_empty(target)
        else:
            remove(target)
        paths = {placement.path for placement in self.placements}
        for folder in target.parents:
            if folder in paths or paths.isdisjoint(folder.parents) or not remove_empty(folder):
                break

    def _make_folder(self, folder: Path, placement: Placement) -> None:
        """Create a folder and its parents; links inside of a placement are not followed."""
        if folder != placement.path and folder.is_relative_to(placement.path):
            self._make_folder(folder.parent, placement)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            self._clear(folder, placement)
        make_folder(folder)

    def _write(self, target: Path, member: Member, placement: Placement) -> None:
        if state_of(target) == wanted_state(member):
            return
        if target != placement.path:
            self._make_folder(target.parent, placement)
        self._clear(target, placement)
        if member.folder:
            make_folder(target)
        elif member.link:
            write_link(target, member.link)
        else:
            write_if_changed(target, member.content, executable=member.executable)

    def _clear(self, target: Path, placement: Placement) -> None:
        """Make room for a file; foreign files are moved away."""
        if target.is_dir() and not target.is_symlink():
            if not remove_empty(target):
                self._move_away(target, placement)
            return
        if not (target.is_symlink() or target.exists()):
            return
        digests = self.ours.get(target)
        if digests is not None and (state_of(target) in digests or is_scratch(str(target))):
            return  # the rename replaces it
        if self._is_in_git(target):
            self.warn(
                CommodoreError(
                    f"{placement.what} replaces a file of the repository: {target}",
                    where=placement.where,
                    hint="remove the file from the repository, or use another path",
                )
            )
            return
        self._move_away(target, placement)

    def _is_in_git(self, target: Path) -> bool:
        """Return whether a file is committed and unmodified."""
        root, name = self.record.root, self.record.name(target)
        return (
            (root / ".git").exists()
            and succeeds(root, "ls-files", "--error-unmatch", "--", name)
            and succeeds(root, "diff", "--quiet", "HEAD", "--", name)
        )

    def _move_away(self, path: Path, placement: Placement) -> None:
        folder = self.record.file.parent / "commodore-put-aside" / self.backups
        backup = folder / self.record.name(path)
        rename(path, backup)
        log.warning("%s was replaced by %s, and moved to %s", path, placement.what, backup)
