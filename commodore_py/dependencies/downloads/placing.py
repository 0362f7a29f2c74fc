"""Write downloads to their paths: replace what an earlier run wrote, keep all other files."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import (
    anchored,
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

from .plan import Placement, Plan, below
from .record import FileState, Placed, Record, is_scratch, is_unmodified, state_of, wanted_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from commodore_py.adapters.files.archives import Member

    from .bounds import Bounds

log = logging.getLogger(__name__)


def put_all(
    placements: Sequence[Placement],
    bounds: Bounds,
    warn: Callable[[CommodoreError], None],
    *,
    keep_extras: bool,
) -> None:
    """Write all placements; of two with the same path, the later one wins."""
    records: dict[Path, Record] = {}
    by_path: dict[Path, Record] = {}
    for placement in placements:
        record = bounds.record_of(placement.path)
        by_path[placement.path] = records.setdefault(record.file, record)
    changed = [
        placement for placement in placements if not _is_current(placement, by_path[placement.path])
    ]
    # Placements that overlap a changed one are written again, in their order.
    changed = [
        placement for placement in placements if any(placement.overlaps(other) for other in changed)
    ]
    if not changed:
        return
    plan = Plan(bounds, by_path, warn)
    for placement in changed:
        plan.add(placement)
    with ExitStack() as stack:
        for record in records.values():
            stack.enter_context(anchored(record.root))
        _Writer(plan, warn, keep_extras=keep_extras).write(changed)


def _is_current(placement: Placement, record: Record) -> bool:
    placed = record.at(placement.path)
    return (
        placed is not None
        and placed.digest == placement.digest
        and is_unmodified(placed, placement.path)
    )


@dataclass(slots=True)
class _Writer:
    plan: Plan
    warn: Callable[[CommodoreError], None]
    keep_extras: bool
    backups: dict[Path, Path] = field(default_factory=dict)
    """The folder for files that are moved away, by record."""
    folders: set[Path] = field(default_factory=set)
    """Folders that are known to exist."""

    def write(self, placements: Sequence[Placement]) -> None:
        """Write the planned files, remove our other ones, and keep foreign ones."""
        plan = self.plan
        records = {
            plan.records[placement.path].file: plan.records[placement.path]
            for placement in placements
        }
        self._announce(placements, records.values())
        for target in sorted(plan.ours.keys() - plan.planned.keys(), reverse=True):
            self._remove_ours(target, placements)
        for placement in placements:
            if "" not in plan.files_of(placement):
                self._make_folder(placement.path, placement)
        for target, (member, placement) in plan.planned.items():
            self._write(target, member, placement)
        if not self.keep_extras:
            self._move_extras(placements)
        for placement in placements:
            files = {
                name: FileState.of(below(placement.path, name), wanted_state(member))
                for name, member in plan.files_of(placement).items()
            }
            plan.records[placement.path].set(placement.path, Placed(placement.digest, files))
        for record in records.values():
            record.write()

    def _announce(self, placements: Sequence[Placement], records: Iterable[Record]) -> None:
        """Record the files before they are written: after a kill, the next run must know them."""
        for placement in placements:
            record = self.plan.records[placement.path]
            before = record.at(placement.path)
            files = dict(before.files) if before is not None else {}
            for name, member in self.plan.files_of(placement).items():
                state = files.get(name, FileState(()))
                digests = dict.fromkeys((*state.digests, wanted_state(member)))
                files[name] = FileState(tuple(digests), state.size, state.time)
            record.set(placement.path, Placed("", files))
        for record in records:
            record.write()

    def _remove_ours(self, target: Path, placements: Sequence[Placement]) -> None:
        if not self.plan.ours[target].matches(target):
            return  # modified or removed since
        if target.is_dir() and not target.is_symlink():
            remove_empty(target)
        else:
            remove(target)
        paths = {placement.path for placement in placements}
        for folder in target.parents:
            if folder in paths or not any(folder.is_relative_to(path) for path in paths):
                break
            if not remove_empty(folder):
                break

    def _make_folder(self, folder: Path, placement: Placement) -> None:
        """Create a folder and its parents; links inside of a placement are not followed."""
        if folder in self.folders:
            return
        if folder != placement.path and folder.is_relative_to(placement.path):
            self._make_folder(folder.parent, placement)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            self._clear(folder, placement)
        make_folder(folder)
        self.folders.add(folder)

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
            self.folders.clear()
            if not remove_empty(target):
                self._move_away(target, placement)
            return
        if not (target.is_symlink() or target.exists()):
            return
        state = self.plan.ours.get(target)
        if state is not None and (state.matches(target) or is_scratch(str(target))):
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
        root = self._record_of(target).root
        if not (root / ".git").exists():
            return False
        name = os.path.relpath(target, root)
        return succeeds(root, "ls-files", "--error-unmatch", "--", name) and succeeds(
            root, "diff", "--quiet", "HEAD", "--", name
        )

    def _record_of(self, target: Path) -> Record:
        return self.plan.records[self.plan.placement_path(target)]

    def _move_extras(self, placements: Iterable[Placement]) -> None:
        """Move away unknown files in folders that belong to one placement."""
        for placement in placements:
            if not placement.whole:
                continue
            for parent, folders, names in os.walk(placement.path, topdown=False):
                for name in (*names, *(f for f in folders if Path(parent, f).is_symlink())):
                    path = Path(parent, name)
                    if path not in self.plan.planned and not self._is_known(path):
                        self._move_away(path, placement)
                if Path(parent) != placement.path and Path(parent) not in self.plan.planned:
                    remove_empty(Path(parent))

    def _is_known(self, path: Path) -> bool:
        """Return whether a file belongs to another placement or to the repository."""
        inner = self.plan.placement_path(path)
        placed = self.plan.records[inner].at(inner)
        names = placed.files if placed is not None else ()
        return any(path in (below(inner, name), inner) for name in names) or self._is_in_git(path)

    def _move_away(self, path: Path, placement: Placement) -> None:
        record = self._record_of(path)
        if record.file not in self.backups:
            self.backups[record.file] = record.file.parent / "commodore-put-aside" / moment()
        backup = self.backups[record.file] / os.path.relpath(path, record.root)
        rename(path, backup)
        log.warning("%s was replaced by %s, and moved to %s", path, placement.what, backup)
