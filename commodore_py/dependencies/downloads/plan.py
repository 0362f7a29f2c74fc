"""Plan which files of downloads are written to which paths, before anything is touched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.files import asides_in, remove
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import folders_above

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content, Member

    from .bounds import Bounds
    from .record import FileState, Record

_SEPARATE_FOLDERS = "use a separate folder for each"


@dataclass(frozen=True, slots=True)
class Placement:
    """A content and the path that it is written to."""

    path: Path
    source: str
    """Where it comes from, without the version."""
    digest: str
    """Of the content, and of how it is written."""
    load: Callable[[], Content]
    what: str
    """A description for messages."""
    whole: bool
    """Whether the path is a folder of its own, not shared with other files."""
    where: str = ""

    def overlaps(self, other: Placement) -> bool:
        """Return whether one path contains the other."""
        return self.path.is_relative_to(other.path) or other.path.is_relative_to(self.path)


@dataclass(slots=True)
class Plan:
    """The files to write, and the files that earlier runs wrote to the same paths."""

    bounds: Bounds
    records: dict[Path, Record]
    """The record of each placement, by its path."""
    warn: Callable[[CommodoreError], None]
    planned: dict[Path, tuple[Member, Placement]] = field(default_factory=dict)
    ours: dict[Path, FileState] = field(default_factory=dict)

    def add(self, placement: Placement) -> None:
        """Plan the files of one placement; where two conflict, the later one wins."""
        placed = self.records[placement.path].at(placement.path)
        if placed is not None and not placed.digest:
            _remove_leftovers(placement.path)
        if placed is not None:
            self.ours |= {
                below(placement.path, name): state for name, state in placed.files.items()
            }
        targets = {below(placement.path, name): member for name, member in placement.load().items()}
        self.bounds.check(targets)
        self._drop_obstacles(targets, placement)
        for target, member in targets.items():
            self._warn_of_conflict(target, member, placement)
            self.planned[target] = (member, placement)

    def files_of(self, placement: Placement) -> dict[str, Member]:
        """The files of a placement, relative to its path."""
        start = len(f"{placement.path}/")
        return {
            str(target)[start:]: member
            for target, (member, owner) in self.planned.items()
            if owner is placement
        }

    def placement_path(self, target: Path) -> Path:
        """The path of the innermost placement that contains a file."""
        return max(
            (path for path in self.records if target.is_relative_to(path)),
            key=lambda path: len(path.parts),
        )

    def _drop_obstacles(self, targets: Mapping[Path, Member], placement: Placement) -> None:
        """Drop earlier files where these need a folder, and files below what is a file here."""
        earlier = {id(owner): owner for _, owner in self.planned.values()}
        rivals = {number for number, owner in earlier.items() if placement.overlaps(owner)}
        if not rivals:
            return
        files = {target for target, member in targets.items() if not member.folder}
        folders = folders_above(targets)
        reported: set[str] = set()
        for path, (member, before) in tuple(self.planned.items()):
            if id(before) not in rivals:
                continue
            obstacle = path if path in folders and not member.folder else None
            obstacle = obstacle or next((above for above in path.parents if above in files), None)
            if obstacle is None:
                continue
            del self.planned[path]
            if before.what not in reported:
                reported.add(before.what)
                self.warn(
                    CommodoreError(
                        f"{placement.what} replaces {before.what}: {obstacle} is a file in one of"
                        " them, and a folder in the other",
                        where=placement.where,
                        hint=_SEPARATE_FOLDERS,
                    )
                )

    def _warn_of_conflict(self, target: Path, member: Member, placement: Placement) -> None:
        before = self.planned.get(target)
        if before is not None and before[0] != member:
            self.warn(
                CommodoreError(
                    f"{placement.what} replaces {before[1].what}: both contain {target}",
                    where=placement.where,
                    hint=_SEPARATE_FOLDERS,
                )
            )


def below(path: Path, name: str) -> Path:
    """The path of a file of a placement; an empty name is the placement itself."""
    return path / name if name else path


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files of a run that was killed."""
    if path.is_dir():
        leftovers = asides_in(path, deep=True)
    else:
        leftovers = asides_in(path.parent) if path.parent.is_dir() else []
    for leftover in leftovers:
        remove(leftover)
