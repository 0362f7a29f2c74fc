"""The file system as components and filters see it: disk, and what this run made in front of it."""

from __future__ import annotations

import errno
import fnmatch
import functools
import glob
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from commodore_py.adapters.reading import NotReadable
from commodore_py.model.tree import Entry, Tree, empty_among

from .reach import Reach
from .trees import read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Kind = Literal["file", "folder"]
Found = TypeVar("Found")
AnyPath = TypeVar("AnyPath", bound="Path | str")

_HIDDEN = PurePosixPath("/")
# A path that no file can have is that of no file.
_NOWHERE = (errno.ELOOP, errno.ENAMETOOLONG)


class Observer(Protocol):
    """Records what is looked up."""

    def saw(self, kind: str, path: str, answer: Any) -> None:  # noqa: ANN401 - of any look-up
        """Record the answer that was given, or the error in its place."""

    def unseal(self, why: str) -> None:
        """Record that something is read in another way."""


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """Everything that components and filters read of the file system, judged and recorded.

    `compiled/` is answered from trees; what earlier runs left there and in `catalog/` is hidden.
    Relative paths start in the current directory, as everywhere in a process.
    """

    compiled: Path
    catalog: Path
    trees: Mapping[str, Tree]
    search_paths: tuple[Path, ...] = ()
    """Where names are looked for, in this order."""
    written: Mapping[Path, Entry | None] = field(default_factory=dict)
    """Files that this run put at absolute paths elsewhere, None for those it took away.

    They are never on disk while they are looked up.
    """
    made: frozenset[Path] = frozenset()
    """Folders that it made there."""
    reach: Reach = field(default_factory=Reach.anywhere)
    observer: Observer | None = None

    def read(self, path: Path | str) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        return self._recorded("content", path, self._read)

    def entry(self, path: Path) -> Entry | None:
        """A file with its mode, None if there is none; a folder is an error."""
        return self._recorded("file", path, self._entry)

    def kind(self, path: Path) -> Kind | None:
        """Return whether a file or a folder is there; links count as their target."""
        return self._recorded("kind", path, self._kind)

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        return self._recorded("listing", folder, self._files_in)

    def tree_at(self, folder: Path) -> Tree:
        """Everything below a folder."""
        return self._recorded("tree", folder, self._tree_at)

    def expand(self, pattern: Path) -> list[Path]:
        """Expand a path with wildcards, sorted; hidden files need a dot in the pattern."""
        return self._recorded("pattern", pattern, self._expand)

    def hides(self, path: Path | str) -> bool:
        """Return whether a path is answered from trees or not at all, and never from disk."""
        return self._inside(path) is not None

    def judge(self, path: Path | str) -> None:
        """Refuse or report where a path on disk leads to; nothing is read."""
        if not self.hides(path):
            self.reach.real(str(path))
        self._saw("judged", path, None)

    def show(self, path: Path | str) -> None:
        """Record that component code sees this path."""
        self._saw("location", path, str(path))

    def unseal(self, why: str) -> None:
        """Record that something reads files in another way."""
        if self.observer is not None:
            self.observer.unseal(why)

    def _saw(self, kind: str, path: Path | str, answer: object) -> None:
        if self.observer is not None:
            self.observer.saw(kind, str(path), answer)

    def _recorded(self, kind: str, path: AnyPath, look_up: Callable[[AnyPath], Found]) -> Found:
        """Record a content, and hand it out as it is."""
        try:
            answer = look_up(path)
        except NotReadable as error:
            self._saw(kind, path, error)
            raise
        self._saw(kind, path, answer)
        return answer

    @property
    def _folders(self) -> frozenset[Path]:
        """The folders that are there by what this run put elsewhere."""
        present = {path for path, entry in self.written.items() if entry is not None}
        above = {folder for path in present | self.made for folder in path.parents}
        return self.made | above

    def _read(self, path: Path | str) -> bytes | None:
        if not self.written and self._inside(path) is None:
            return self.reach.content(os.fspath(path))
        entry = self._entry(Path(path))
        return None if entry is None else entry.content

    def _entry(self, path: Path) -> Entry | None:
        inside = self._inside(path)
        if inside is not None:
            tree, relative = self._look_up(inside)
            if relative in tree.folders():
                raise NotReadable(f"{path} is a folder, not a file")
            return tree.get(relative)
        if self.written and (absolute := path.absolute()) in self.written:
            return self.written[absolute]
        file = self.reach.content_with_mode(str(path))
        return file and Entry(file[0], executable=bool(file[1] & stat.S_IXUSR))

    def _kind(self, path: Path) -> Kind | None:
        inside = self._inside(path)
        if inside is not None:
            tree, relative = self._look_up(inside)
            if relative in tree:
                return "file"
            return "folder" if relative in tree.folders() else None
        if self.written or self.made:
            absolute = path.absolute()
            if self.written.get(absolute) is not None:
                return "file"
            if absolute in self._folders:
                return "folder"
            if absolute in self.written:
                return None
        return _kind_on_disk(path)

    def _files_in(self, folder: Path) -> tuple[str, ...]:
        inside = self._inside(folder)
        if inside is not None:
            tree, relative = self._look_up(inside)
            if relative not in tree.folders():
                kind = "is not a folder" if relative in tree else "does not exist"
                raise NotReadable(f"{folder} {kind}")
            return tuple(path.name for path in tree if path.parent == relative)
        absolute = folder.absolute()
        ours = {path: entry for path, entry in self.written.items() if path.parent == absolute}
        is_ours = bool(ours) or absolute in self._folders
        names = set(self._list_on_disk(folder)) if not is_ours or folder.is_dir() else set()
        names -= {path.name for path in ours}
        return tuple(
            sorted(names | {path.name for path, entry in ours.items() if entry is not None})
        )

    def _tree_at(self, folder: Path) -> Tree:
        inside = self._inside(folder)
        if inside is not None:
            tree, relative = self._look_up(inside)
            return tree.subtree(relative)
        tree = read_tree(folder, self.reach) if _kind_on_disk(folder) == "folder" else Tree()
        if not self.written and not self.made:
            return tree
        entries = dict(tree)
        absolute = folder.absolute()
        for path, entry in self.written.items():
            if path.is_relative_to(absolute) and path != absolute:
                relative = PurePosixPath(path.relative_to(absolute))
                entries.pop(relative, None)
                if entry is not None:
                    entries[relative] = entry
        made = (place.relative_to(absolute) for place in self.made if absolute in place.parents)
        empty = empty_among({*tree.empty_folders, *map(PurePosixPath, made)}, entries)
        return Tree(entries, empty)

    def _expand(self, pattern: Path) -> list[Path]:
        text = str(pattern)
        if not glob.has_magic(text):
            return [pattern] if self._kind(pattern) or os.path.lexists(pattern) else []
        start = text
        while glob.has_magic(start):
            start = os.path.dirname(start)  # noqa: PTH120 - a text
        self.reach.search(start)
        matching = {path for path in map(Path, glob.glob(text)) if self._kind(path)}  # noqa: PTH207 - Path.glob knows no absolute patterns
        parts = pattern.absolute().parts
        # Our own files and folders, part by part as a shell would.
        for path in (*self._folders, *self.written, *self._paths_in_trees()):
            if len(path.parts) == len(parts) and all(map(_matches, path.parts, parts)):
                matching |= {path} if self._kind(path) else set()
        return sorted(matching)

    def _paths_in_trees(self) -> Iterator[Path]:
        for name, tree in self.trees.items():
            root = self.compiled / name
            yield from (root / path for path in (*tree, *tree.folders()))

    def _list_on_disk(self, folder: Path) -> tuple[str, ...]:
        try:
            real = Path(self.reach.real(str(folder)))
            return tuple(sorted(child.name for child in real.iterdir() if child.is_file()))
        except NotADirectoryError as error:
            raise NotReadable(f"{folder} is not a folder") from error
        except FileNotFoundError as error:
            raise NotReadable(f"{folder} does not exist") from error
        except OSError as error:
            raise NotReadable(f"cannot list {folder}: {error.strerror}") from error

    def _inside(self, path: Path | str) -> PurePosixPath | None:
        """The path relative to the folder of all trees, None if it is on disk.

        What is hidden counts as part of a tree that does not exist.
        """
        # Asked for every single look-up, and objects for paths are slow to make.
        text = os.fspath(path)
        if not text.startswith("/"):
            text = os.path.join(Path.cwd(), text)  # noqa: PTH118 - as above
        if "/../" in text or text.endswith("/.."):
            text = os.path.realpath(text)
        for root, above in _hidden_roots(str(self.compiled), str(self.catalog)):
            if text.startswith(root) and text[len(root) : len(root) + 1] in {"", "/"}:
                return above / text[len(root) + 1 :]
        return None

    def _look_up(self, inside: PurePosixPath) -> tuple[Tree, PurePosixPath]:
        if not inside.parts:
            instances = frozenset(PurePosixPath(name) for name in self.trees)
            return Tree(empty_folders=instances), inside
        # A target with dots in its name is several folders deep.
        for depth in range(1, len(inside.parts) + 1):
            tree = self.trees.get("/".join(inside.parts[:depth]))
            if tree is not None:
                return tree, PurePosixPath(*inside.parts[depth:])
        # No folder of a missing tree may look like one that is there and empty.
        return Tree(), inside


@functools.lru_cache(maxsize=64)  # called for every look-up
def _hidden_roots(compiled: str, catalog: str) -> tuple[tuple[str, PurePosixPath], ...]:
    """Both folders as they are named and where they lie; and what a path inside begins with."""
    return tuple(
        (spelling, above)
        for root, above in ((compiled, PurePosixPath()), (catalog, _HIDDEN))
        for spelling in sorted({root, os.path.realpath(root)})
    )


def _kind_on_disk(path: Path) -> Kind | None:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        if error.errno in _NOWHERE:
            return None
        raise NotReadable(f"cannot read {path}: {error.strerror}") from error
    return "folder" if stat.S_ISDIR(mode) else "file"


def _matches(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return fnmatch.fnmatchcase(name, pattern)
