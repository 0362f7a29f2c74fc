"""Whether all files that changed on disk during a run were changed by the run itself.

A file that is edited during a run may have been read before or after the edit. So a run is only
noted if every file is now what the run read or wrote.
"""

from __future__ import annotations

import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.git.index import seen_of
from commodore_py.adapters.git.repository import GitFolders, folders_of, head_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of
from commodore_py.model.dependency import CONFIGURATION, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.adapters.git.index import Seen
    from commodore_py.cache.up_to_date.snapshot import Row, Snapshot
    from commodore_py.config import Config
    from commodore_py.model.stages import Rendered, Sources

_GIT = ".git"
WRITTEN = (
    "compiled",
    "catalog",
    "inventory/targets",
    "inventory/classes/components",
    "inventory/classes/defaults",
    "dependencies/lib",
    "dependencies/libs",
)
_WRITTEN_ONLINE = ("dependencies/.repos", "inventory/classes/params")
# What is in there is compared with what was compiled.
_MADE = ("compiled/", "catalog/")
_BROUGHT = ("vendor", "jsonnetfile.json", "jsonnetfile.lock.json", "dependencies/.repos")


class Snapshots(NamedTuple):
    """The files of a run: before it began, that moment, and now."""

    before: Snapshot
    began: int
    now: Snapshot


def unexplained(snapshots: Snapshots, config: Config, sources: Sources, rendered: Rendered) -> str:
    """The first path that was perhaps changed by something else; empty if there is none."""
    changed = snapshots.now.changed_since(snapshots.before)
    explanation = _Explanation(snapshots, config, sources, rendered)
    return min((path for path in changed if not explanation.covers(path)), default="")


class _Folder(NamedTuple):
    """A folder below the working directory, as it is now."""

    inside: str
    """How names of what is in it begin, seen from the working directory."""
    rows: Mapping[str, Row]
    place: str
    """The checkout that it belongs to, if any."""
    is_written: bool
    """Whether runs write there."""
    is_ours: bool = False
    """Whether all that is in it, at any depth, is explained by that."""


_OURS = _Folder("", {}, "", is_written=True, is_ours=True)


class _Explanation:
    def __init__(
        self, snapshots: Snapshots, config: Config, sources: Sources, rendered: Rendered
    ) -> None:
        self.root = str(config.paths.root)
        self.snapshots = snapshots
        self.config = config
        self.sources = sources
        self.rendered = rendered
        written = [*WRITTEN]
        if not config.local:
            written += _WRITTEN_ONLINE
            packages = sources.classes.of_kind(Kind.PACKAGE)
            written += [f"inventory/classes/{one.spec.name}" for one in packages]
        if config.fetch_dependencies:
            written += _BROUGHT
        self._written = frozenset(written)
        self._checkouts = {
            str(one.worktree).removeprefix(f"{self.root}/"): one
            for one in sources.classes.dependencies
        }
        around = [PurePosixPath(name).parents for name in (*written, *self._checkouts)]
        self._folders = frozenset(str(parent) for parents in around for parent in parents)
        self._owners: dict[str, tuple[str, bool]] = {"": ("", False)}
        self._folders_used: dict[str, GitFolders | None] = {}
        self._indexes: dict[str, Mapping[str, Seen] | None] = {}
        self._contents = {
            f"compiled/{instance}/{path}": entry.content
            for instance, tree in rendered.instances.items()
            for path, entry in tree.items()
        }
        for path, entry in rendered.catalog.items():
            self._contents[f"catalog/{path}"] = entry.content
        self._known: dict[str, _Folder] = {}

    def covers(self, path: str) -> bool:
        """Whether the run itself did this."""
        if not path.startswith(f"{self.root}/"):
            # What a run finds out to be outside is not in the snapshot from before.
            is_new = path.rpartition("/")[0] not in self.snapshots.before.folders
            return is_new and self.snapshots.now.is_older(path, self.snapshots.began)
        above, _, last = path.rpartition("/")
        folder = self._known.get(above)
        if folder is None:
            folder = self._known[above] = self._folder_at(above)
        if folder.is_ours:
            return True
        row = folder.rows.get(last)
        is_folder = row is not None and stat.S_ISDIR(row[1])  # type: ignore[arg-type] # a mode
        name = f"{folder.inside}{last}"
        if name in self._folders:
            return is_folder
        place, is_written = folder.place, folder.is_written or name in self._written
        if name in self._checkouts:
            place = name
        if place:
            return is_folder or self._checked_out(place, name[len(place) + 1 :], row)
        return is_written and (is_folder or self._written_by_us(name, row))

    def _folder_at(self, path: str) -> _Folder:
        name = path[len(self.root) + 1 :]
        place, is_written = self._owner_of(name)
        inside = f"{name}/" if name else ""
        if is_written and not place and name not in self._folders and not inside.startswith(_MADE):
            return _OURS
        rows = {str(row[0]): row for row in self.snapshots.now.folders.get(path, ())}
        return _Folder(inside, rows, place, is_written=is_written)

    def _owner_of(self, name: str) -> tuple[str, bool]:
        """The checkout that a folder belongs to, and whether runs write there."""
        owner = self._owners.get(name)
        if owner is None:
            place, is_written = self._owner_of(name.rpartition("/")[0])
            owner = (place, is_written or name in self._written)
            if name in self._checkouts:
                owner = (name, False)
            self._owners[name] = owner
        return owner

    def _checked_out(self, place: str, name: str, row: Row | None) -> bool:
        """Whether a file of a checkout is as Git put it there, for the commit that was used."""
        folders = self._folders_behind(place)
        if folders is None:
            return False
        if name == _GIT or name.startswith(f"{_GIT}/"):
            return True
        index = self._index(place, folders)
        if index is None:
            return False
        if name in index:
            return _is_clean(index[name], row)
        if row is None:
            return True
        # What downloads and rendered lists bring into a checkout that did not exist before.
        is_new = f"{self.root}/{place}" not in self.snapshots.before.folders
        return is_new and self._checkouts[place].spec.kind not in CONFIGURATION

    def _folders_behind(self, place: str) -> GitFolders | None:
        """Where Git keeps a checkout; None if that is not at the commit that was used."""
        if place not in self._folders_used:
            checkout = self._checkouts[place]
            folders = None if self.config.local else folders_of(checkout.worktree)
            is_used = folders is not None and _commit_at(checkout.worktree) == checkout.commit
            self._folders_used[place] = folders if is_used else None
        return self._folders_used[place]

    def _written_by_us(self, name: str, row: Row | None) -> bool:
        content = self._contents.get(name)
        if content is not None:
            return row is not None and self._holds(name, row, content)
        if row is None:
            return True
        if name.startswith("compiled/"):
            return False
        if name.startswith("catalog/") and not name.startswith(f"catalog/{_GIT}"):
            inner = name.removeprefix("catalog/")
            own = self.config.paths.catalog / _GIT
            index = self._index("catalog", GitFolders(own, own))
            seen = index.get(inner) if index is not None else None
            return seen is not None and _is_clean(seen, row)
        return True

    def _holds(self, name: str, row: Row, content: bytes) -> bool:
        is_file = stat.S_ISREG(row[1])  # type: ignore[arg-type] # a mode
        return is_file and row[3] == len(content) and bytes_of(f"{self.root}/{name}") == content

    def _index(self, place: str, folders: GitFolders) -> Mapping[str, Seen] | None:
        if place not in self._indexes:
            from commodore_py.adapters.git.status import seen_in_index

            worktree = self.config.paths.root / place
            self._indexes[place] = seen_in_index(worktree, folders)
        return self._indexes[place]


def _is_clean(known: Seen, row: Row | None) -> bool:
    if row is None:
        return False
    inode, size, mtime, ctime = row[2:6]
    return known == seen_of(inode, size, mtime, ctime)  # type: ignore[arg-type] # numbers


def _commit_at(checkout: Path) -> str | None:
    try:
        return head_of(checkout)[0]
    except ProgramFailed:
        return None
