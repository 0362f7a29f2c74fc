"""A folder as a value: relative path to content."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, ItemsView, Iterable, Iterator, KeysView, Mapping
from pathlib import PurePath, PurePosixPath
from typing import NamedTuple, TypeVar

_Path = TypeVar("_Path", bound=PurePath)


class Entry(NamedTuple):
    """One file: its bytes and whether it may be executed."""

    content: bytes
    executable: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


class Tree(Mapping[PurePosixPath, Entry]):
    """Read-only files by relative path, sorted; folders without files are remembered."""

    __slots__ = ("_all_folders", "_entries", "_folders")

    def __init__(
        self,
        entries: Mapping[PurePosixPath, Entry] | None = None,
        empty_folders: frozenset[PurePosixPath] = frozenset(),
    ) -> None:
        # By parts, as paths are compared; to compare them themselves takes several times as long.
        self._entries: dict[PurePosixPath, Entry] = (
            entries._entries  # noqa: SLF001 - our own
            if isinstance(entries, Tree)
            else dict(sorted((entries or {}).items(), key=lambda item: item[0].parts))
        )
        self._folders = empty_folders
        self._all_folders: frozenset[PurePosixPath] | None = None

    def __getitem__(self, path: PurePosixPath) -> Entry:
        return self._entries[path]

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def replacing(self, old: bytes, new: bytes) -> Tree:
        """Replace a text in all files."""
        replaced = {
            path: entry._replace(content=entry.content.replace(old, new))
            for path, entry in self.items()
            if old in entry.content
        }
        return Tree({**self._entries, **replaced}, self._folders) if replaced else self

    # The methods inherited from Mapping would read one file after the other.
    def keys(self) -> KeysView[PurePosixPath]:
        """The paths."""
        return self._entries.keys()

    def items(self) -> ItemsView[PurePosixPath, Entry]:
        """The paths with what is there."""
        return self._entries.items()

    def __contains__(self, path: object) -> bool:
        return path in self._entries

    def __or__(self, other: Tree) -> Tree:
        return Tree({**self._entries, **other._entries}, self._folders | other._folders)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._entries == other._entries

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        return f"Tree({len(self)} files)"

    @property
    def empty_folders(self) -> frozenset[PurePosixPath]:
        """Folders that hold no file."""
        return self._folders

    def folders(self) -> frozenset[PurePosixPath]:
        """Every folder of the tree, the root included."""
        if self._all_folders is None:
            above = folders_above((*self._entries, *self._folders))
            self._all_folders = frozenset({PurePosixPath(), *self._folders, *above})
        return self._all_folders

    def plus(self, added: Mapping[PurePosixPath, Entry]) -> Tree:
        """With files added or replaced; folders that hold one now are not empty any more."""
        above, pure_posix_paths = folders_above(added), self.folders()
        made = Tree({**self._entries, **added}, self._folders - above)
        # All of ours are still there, whether empty or not.
        made._all_folders = (
            pure_posix_paths if above <= pure_posix_paths else pure_posix_paths | above
        )
        return made

    def subtree(self, folder: PurePosixPath) -> Tree:
        """The entries below a folder, with paths relative to it."""
        return Tree(
            {
                p.relative_to(folder): e
                for p, e in self._entries.items()
                if p.is_relative_to(folder)
            },
            frozenset(
                f.relative_to(folder)
                for f in self._folders
                if f.is_relative_to(folder) and f != folder
            ),
        )

    def below(self, folder: PurePosixPath) -> Tree:
        """Move the tree into a folder."""
        return Tree(
            {folder / p: e for p, e in self._entries.items()},
            frozenset(folder / f for f in self._folders),
        )


def folders_above(paths: Iterable[_Path]) -> set[_Path]:
    """Every folder that contains one of the paths, with the root unless there is no path."""
    folders: set[_Path] = set()
    seen: set[str] = set()
    for path in paths:
        text = str(path)
        folder = text[: text.rfind("/") + 1]
        if folder in seen:  # of most paths in a folder, as texts are compared sooner than paths
            continue
        inner, above = path, path.parent
        if above != inner:  # the root has no parent
            seen.add(folder)
        while above not in folders and above != inner:
            folders.add(above)
            inner, above = above, above.parent
    return folders


def empty_among(
    folders: Collection[PurePosixPath], files: Iterable[PurePosixPath]
) -> frozenset[PurePosixPath]:
    """The folders that hold none of the files, nor another of these folders."""
    return frozenset(folders) - folders_above((*files, *folders))
