"""Put downloads where they are wanted: what we put there goes, what others did is kept."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import aside_of, asides_in, remove
from commodore_py.adapters.git.program import succeeds
from commodore_py.dependencies.protection.safety import moment
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import folders_above

from .record import FileState, Placed, Record, is_scratch, is_unmodified, state_of, wanted_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from commodore_py.adapters.files.archives import Content, Member

    from .bounds import Bounds

log = logging.getLogger(__name__)

_A_FOLDER_EACH = "give each a folder of its own"


@dataclass(frozen=True, slots=True)
class Placement:
    """A content and its place."""

    place: Path
    source: str
    """Where it comes from, without the version."""
    digest: str
    """Of the content, and of how it is put there."""
    load: Callable[[], Content]
    what: str
    whole: bool
    """Whether the place is a folder of its own, and not one that others may share."""
    where: str = ""


def put_all(
    placements: Sequence[Placement],
    bounds: Bounds,
    doubt: Callable[[CommodoreError], None],
    *,
    keep_extras: bool,
) -> None:
    """Put everything in its place; of two that want the same place, the later has it."""
    records: dict[Path, Record] = {}
    by_place: dict[Path, Record] = {}
    for one in placements:
        record = bounds.record_of(one.place)
        by_place[one.place] = records.setdefault(record.file, record)
    changed = [one for one in placements if not _is_there(one, by_place[one.place])]
    # Where places overlap, all of them are put anew, in their order.
    changed = [one for one in placements if any(_overlap(one, other) for other in changed)]
    if not changed:
        return
    work = _Work(bounds, by_place, doubt, keep_extras=keep_extras)
    work.plan(changed)
    work.do(changed)


def _is_there(one: Placement, record: Record) -> bool:
    placed = record.at(one.place)
    return placed is not None and placed.digest == one.digest and is_unmodified(placed, one.place)


def _overlap(one: Placement, other: Placement) -> bool:
    return one.place.is_relative_to(other.place) or other.place.is_relative_to(one.place)


@dataclass(slots=True)
class _Work:
    bounds: Bounds
    records: dict[Path, Record]
    doubt: Callable[[CommodoreError], None]
    keep_extras: bool
    wanted: dict[Path, tuple[Member, Placement]] = field(default_factory=dict)
    ours: dict[Path, FileState] = field(default_factory=dict)
    aside: dict[Path, Path] = field(default_factory=dict)
    folders: set[Path] = field(default_factory=set)
    """Those that are known to be there."""

    def plan(self, placements: Iterable[Placement]) -> None:
        """Find out what goes where, before anything is touched."""
        for one in placements:
            placed = self.records[one.place].at(one.place)
            if placed is not None and not placed.digest:
                _tidy_up(one.place)
            if placed is not None:
                self.ours |= {_at(one.place, path): mark for path, mark in placed.files.items()}
            targets = {_at(one.place, path): member for path, member in one.load().items()}
            self.bounds.check(targets)
            self._make_way(targets, one)
            for target, member in targets.items():
                self._note_conflict(target, member, one)
                self.wanted[target] = (member, one)

    def _make_way(self, targets: Mapping[Path, Member], one: Placement) -> None:
        """Drop what cannot be there beside these: a file where they need a folder, or the reverse.

        As with two files of one name, the later has it.
        """
        earlier = {id(owner): owner for _, owner in self.wanted.values()}
        rivals = {number for number, owner in earlier.items() if _overlap(one, owner)}
        if not rivals:
            return
        files = {target for target, member in targets.items() if not member.folder}
        folders = folders_above(targets)
        told: set[str] = set()
        for path, (member, before) in tuple(self.wanted.items()):
            if id(before) not in rivals:
                continue
            at_fault = path if path in folders and not member.folder else None
            at_fault = at_fault or next((above for above in path.parents if above in files), None)
            if at_fault is None:
                continue
            del self.wanted[path]
            if before.what not in told:
                told.add(before.what)
                self.doubt(
                    CommodoreError(
                        f"{one.what} is put over {before.what}: {at_fault} is a file in one of"
                        " them, and a folder in the other",
                        where=one.where,
                        hint=_A_FOLDER_EACH,
                    )
                )

    def _note_conflict(self, target: Path, member: Member, one: Placement) -> None:
        before = self.wanted.get(target)
        if before is not None and before[0] != member:
            self.doubt(
                CommodoreError(
                    f"{one.what} is put over {before[1].what}: both have {target}",
                    where=one.where,
                    hint=_A_FOLDER_EACH,
                )
            )

    def do(self, placements: Sequence[Placement]) -> None:
        """Write what is wanted, remove what was ours, keep what is somebody else's."""
        touched = {self.records[one.place].file: self.records[one.place] for one in placements}
        self._announce(placements, touched.values())
        for target in sorted(self.ours.keys() - self.wanted.keys(), reverse=True):
            self._remove_ours(target, placements)
        for one in placements:
            if "" not in (path for path in self._paths_of(one)):
                self._make_folder(one.place, one)
        for target, (member, one) in self.wanted.items():
            self._write(target, member, one)
        if not self.keep_extras:
            self._sweep_extras(placements)
        for one in placements:
            files = {
                path: FileState.of(_at(one.place, path), wanted_state(member))
                for path, member in self._paths_of(one).items()
            }
            self.records[one.place].places[self.records[one.place].name(one.place)] = Placed(
                one.digest, files
            )
        for record in touched.values():
            record.write()

    def _paths_of(self, one: Placement) -> dict[str, Member]:
        start = len(f"{one.place}/")
        return {
            str(target)[start:]: member
            for target, (member, owner) in self.wanted.items()
            if owner is one
        }

    def _announce(self, placements: Sequence[Placement], records: Iterable[Record]) -> None:
        """Note what will be there too: a run that is killed must know its own files again."""
        for one in placements:
            record = self.records[one.place]
            before = record.at(one.place)
            files = dict(before.files) if before is not None else {}
            for path, member in self._paths_of(one).items():
                mark = files.get(path, FileState(()))
                digests = dict.fromkeys((*mark.digests, wanted_state(member)))
                files[path] = FileState(tuple(digests), mark.size, mark.time)
            record.places[record.name(one.place)] = Placed("", files)
        for record in records:
            record.write()

    def _remove_ours(self, target: Path, placements: Sequence[Placement]) -> None:
        if not self.ours[target].matches(target):
            return  # somebody has edited it since, or removed it
        if target.is_dir() and not target.is_symlink():
            _remove_empty(target)
        else:
            target.unlink()
        places = {one.place for one in placements}
        for folder in target.parents:
            if folder in places or not any(folder.is_relative_to(place) for place in places):
                break
            if not _remove_empty(folder):
                break

    def _make_folder(self, folder: Path, one: Placement) -> None:
        """Make a folder and those around it; nothing is written through links inside a place."""
        if folder in self.folders:
            return
        if folder != one.place and folder.is_relative_to(one.place):
            self._make_folder(folder.parent, one)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            self._clear(folder, one)
        folder.mkdir(parents=True, exist_ok=True)
        self.folders.add(folder)

    def _write(self, target: Path, member: Member, one: Placement) -> None:
        state, wanted = state_of(target), wanted_state(member)
        if state == wanted:
            return
        if target != one.place:
            self._make_folder(target.parent, one)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
        self._clear(target, one)
        if member.folder:
            target.mkdir(exist_ok=True)
            return
        aside = aside_of(target)
        try:
            if member.link:
                aside.symlink_to(member.link)
            else:
                aside.write_bytes(member.content)
                aside.chmod(0o755 if member.executable else 0o644)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)

    def _clear(self, target: Path, one: Placement) -> None:
        """Make room, and lose nothing that is not ours."""
        if target.is_dir() and not target.is_symlink():
            self.folders.clear()
            if not _remove_empty(target):
                self._put_aside(target, one)
            return
        if not (target.is_symlink() or target.exists()):
            return
        mark = self.ours.get(target)
        if mark is not None and (mark.matches(target) or is_scratch(str(target))):
            return  # replaced at once
        if self._is_in_git(target):
            self.doubt(
                CommodoreError(
                    f"{one.what} is put over a file that the repository has: {target}",
                    where=one.where,
                    hint="remove the file from the repository, or give the download another place",
                )
            )
            return
        self._put_aside(target, one)

    def _is_in_git(self, target: Path) -> bool:
        root = self.records[self._place_of(target)].root
        if not (root / ".git").exists():
            return False
        name = os.path.relpath(target, root)
        return succeeds(root, "ls-files", "--error-unmatch", "--", name) and succeeds(
            root, "diff", "--quiet", "HEAD", "--", name
        )

    def _place_of(self, target: Path) -> Path:
        around = [place for place in self.records if target.is_relative_to(place)]
        return max(around, key=lambda place: len(place.parts))

    def _sweep_extras(self, placements: Iterable[Placement]) -> None:
        """Move away what lies in a folder of ours and came from nobody that we know."""
        for one in placements:
            if not one.whole:
                continue
            for parent, folders, names in os.walk(one.place, topdown=False):
                for name in (*names, *(f for f in folders if Path(parent, f).is_symlink())):
                    path = Path(parent, name)
                    if path not in self.wanted and not self._is_known(path):
                        self._put_aside(path, one)
                if Path(parent) != one.place and Path(parent) not in self.wanted:
                    _remove_empty(Path(parent))

    def _is_known(self, path: Path) -> bool:
        """Whether another place is around it, or the repository has it."""
        inner = self._place_of(path)
        return any(path in (_at(inner, name), inner) for name in self._noted(inner)) or (
            self._is_in_git(path)
        )

    def _noted(self, place: Path) -> Iterable[str]:
        placed = self.records[place].at(place)
        return placed.files if placed is not None else ()

    def _put_aside(self, path: Path, one: Placement) -> None:
        record = self.records[self._place_of(path)]
        if record.file not in self.aside:
            self.aside[record.file] = record.file.parent / "commodore-put-aside" / moment()
        kept = self.aside[record.file] / os.path.relpath(path, record.root)
        kept.parent.mkdir(parents=True, exist_ok=True)
        path.rename(kept)
        log.warning("%s was in the way of %s, and is kept in %s", path, one.what, kept)


def _at(place: Path, path: str) -> Path:
    return place / path if path else place


def _tidy_up(place: Path) -> None:
    """Remove what a run that was killed has left aside."""
    if place.is_dir():
        left_over = asides_in(place, deep=True)
    else:
        left_over = asides_in(place.parent) if place.parent.is_dir() else []
    for path in left_over:
        remove(path)


def _remove_empty(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir() or any(folder.iterdir()):
        return False
    remove(folder)
    return True
