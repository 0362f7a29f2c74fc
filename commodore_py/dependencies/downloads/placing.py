"""Write downloads to their paths: replace what an earlier run wrote, keep all other files."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
from commodore_py.dependencies.protection.local_work import moment
from commodore_py.errors import CommodoreError

from .plan import Placement, planned_files
from .record import is_scratch, state_of, wanted_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from commodore_py.adapters.files.archives import Member

    from .bounds import Bounds
    from .record import Record

log = logging.getLogger(__name__)

_CONFLICTS = "conflicts"  # in place of a digest, so that each run reports them


def put_all(
    placements: Iterable[Placement], bounds: Bounds, warn: Callable[[CommodoreError], None]
) -> None:
    """Write all placements; of two with the same path, the later one wins."""
    by_record: dict[Path, tuple[Record, list[Placement]]] = {}
    for placement in placements:
        record = bounds.record_of(placement.path)
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
