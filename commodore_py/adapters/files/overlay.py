"""The file system as components and filters see it: disk, and what this run made in front of it."""

from __future__ import annotations

import errno
import fnmatch
import functools
import glob
import os
import stat
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar

from commodore_py.adapters.reading import NotReadable
from commodore_py.model.tree import Entry, Tree, empty_among

from .reach import Reach
from .trees import read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Kind = Literal["file", "folder"]
Found = TypeVar("Found")

_HIDDEN = PurePosixPath("/")
# A path that no file can have is that of no file.
_NOWHERE = (errno.ELOOP, errno.ENAMETOOLONG)
_EXECUTABLE = stat.S_IXUSR


class Overlay:
    """`compiled/` is answered from trees; what earlier runs left there and in `catalog/` is hidden.

    Relative paths start in the current directory, as everywhere in a process. `written` are files
    that this run put at absolute paths elsewhere, None for those it took away, and `made` are
    folders that it made there; they are never on disk while anybody looks.
    """

    __slots__ = ("catalog", "compiled", "made", "reach", "trees", "written")

    def __init__(
        self,
        compiled: Path,
        catalog: Path,
        trees: Mapping[str, Tree],
        written: Mapping[Path, Entry | None] = MappingProxyType({}),
        made: frozenset[Path] = frozenset(),
        *,
        reach: Reach | None = None,
    ) -> None:
        self.compiled = compiled
        self.catalog = catalog
        self.trees = trees
        self.written = written
        self.made = made
        self.reach = reach or Reach.anywhere()

    def with_tree(self, instance: str, tree: Tree) -> Overlay:
        """The same view with another state of one instance."""
        trees = {**self.trees, instance: tree}
        there = trees, self.written, self.made
        return Overlay(self.compiled, self.catalog, *there, reach=self.reach)

    def with_written(
        self, entries: Mapping[Path, Entry | None], made: frozenset[Path] = frozenset()
    ) -> Overlay:
        """The same view with files and folders at absolute paths, or taken away from there."""
        written = {**self.written, **entries}
        there = self.trees, written, self.made | made
        return Overlay(self.compiled, self.catalog, *there, reach=self.reach)

    def read(self, path: Path | str) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        if not self.written and not self.made and self._inside(path) is None:
            return _there(self.reach.read, path)
        found = self.entry(Path(path))
        return None if found is None else found.content

    def entry(self, path: Path) -> Entry | None:
        """A file with its mode, None if there is none; a folder is an error."""
        inside = self._inside(path)
        if inside is None:
            return self._elsewhere(path)
        tree, relative = self._look_up(inside)
        if relative in tree:
            return tree[relative]
        if relative in tree.folders():
            raise NotReadable(f"{path} is a folder, not a file")
        return None

    def kind(self, path: Path) -> Kind | None:
        """Whether a file or a folder is there; links count as their target."""
        inside = self._inside(path)
        if inside is not None:
            tree, relative = self._look_up(inside)
            if relative in tree:
                return "file"
            return "folder" if relative in tree.folders() else None
        if self.written or self.made:
            absolute = path.absolute()
            if absolute in self.written or self._is_made(absolute):
                return self._kind_of_ours(absolute)
        return _kind_on_disk(path)

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        inside = self._inside(folder)
        if inside is None:
            return self._listed(folder)
        tree, relative = self._look_up(inside)
        if relative not in tree.folders():
            kind = "is not a folder" if relative in tree else "does not exist"
            raise NotReadable(f"{folder} {kind}")
        return tuple(path.name for path in tree if path.parent == relative)

    def tree_at(self, folder: Path) -> Tree:
        """Everything below a folder."""
        inside = self._inside(folder)
        if inside is not None:
            tree, relative = self._look_up(inside)
            return tree.subtree(relative)
        found = read_tree(folder, self.reach) if _kind_on_disk(folder) == "folder" else Tree()
        if not self.written and not self.made:
            return found
        entries = dict(found)
        absolute = folder.absolute()
        for path, entry in self.written.items():
            if path.is_relative_to(absolute) and path != absolute:
                relative = PurePosixPath(path.relative_to(absolute))
                entries.pop(relative, None)
                if entry is not None:
                    entries[relative] = entry
        made = (place.relative_to(absolute) for place in self.made if absolute in place.parents)
        empty = empty_among({*found.empty_folders, *map(PurePosixPath, made)}, entries)
        return Tree(entries, empty)

    def expand(self, pattern: Path) -> list[Path]:
        """What a path with wildcards stands for, sorted; hidden files need a dot in the pattern."""
        text = str(pattern)
        if not glob.has_magic(text):
            return [pattern] if self.kind(pattern) or os.path.lexists(pattern) else []
        self.reach.search(_above_magic(text))
        found = [path for path in map(Path, glob.glob(text)) if self.kind(path)]  # noqa: PTH207 - Path.glob knows no absolute patterns
        found += self._expand_ours(pattern)
        return sorted(set(found))

    def hides(self, path: Path | str) -> bool:
        """Whether a path is answered from trees, or not at all: not from disk in any case."""
        return self._inside(path) is not None

    def judge(self, path: str) -> None:
        """Refuse or report where a path on disk leads to; nothing is read."""
        if not self.hides(path):
            self.reach.real(path)

    def show(self, path: Path | str) -> None:
        """Record that component code sees this path; not recorded here."""

    def unseal(self, why: str) -> None:
        """Record that something reads files in another way; not recorded here."""

    def _expand_ours(self, pattern: Path) -> Iterator[Path]:
        """Our own files and folders that match, part by part as a shell would."""
        parts = pattern.absolute().parts
        for path in self._all_of_ours():
            if len(path.parts) == len(parts) and all(map(_matches, path.parts, parts)):
                yield path

    def _all_of_ours(self) -> Iterable[Path]:
        found = set(self._present())
        for name, tree in self.trees.items():
            root = self.compiled / name
            found |= {root / path for path in (*tree, *tree.folders())}
        for path in (*self._present(), *self.made):
            found |= {*path.parents}
        return found | self.made

    def _present(self) -> Iterator[Path]:
        return (path for path, entry in self.written.items() if entry is not None)

    def _kind_of_ours(self, absolute: Path) -> Kind | None:
        if self.written.get(absolute) is not None:
            return "file"
        return "folder" if self._is_made(absolute) else None

    def _is_made(self, absolute: Path) -> bool:
        """Whether a folder is there by what this run wrote."""
        if absolute in self.made:
            return True
        return any(absolute in other.parents for other in (*self._present(), *self.made))

    def _elsewhere(self, path: Path) -> Entry | None:
        if self.written:
            absolute = path.absolute()
            if absolute in self.written:
                return self.written[absolute]
        return _there(self._entry_on_disk, path)

    def _listed(self, folder: Path) -> tuple[str, ...]:
        absolute = folder.absolute()
        ours = {path: entry for path, entry in self.written.items() if path.parent == absolute}
        if not ours and not self._is_made(absolute):
            return self._list_on_disk(folder)
        names = set(self._list_on_disk(folder)) if folder.is_dir() else set()
        names -= {path.name for path in ours}
        names |= {path.name for path, entry in ours.items() if entry is not None}
        return tuple(sorted(names))

    def _entry_on_disk(self, path: str) -> Entry:
        content, mode = self.reach.read_with_mode(path)
        return Entry(content, executable=bool(mode & _EXECUTABLE))

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


def _above_magic(pattern: str) -> str:
    """The folder in which a pattern begins."""
    while glob.has_magic(pattern):
        pattern = os.path.dirname(pattern)  # noqa: PTH120 - a text
    return pattern


def _there(read: Callable[[str], Found], path: Path | str) -> Found | None:
    """What is read of a file on disk, None if there is none."""
    try:
        return read(os.fspath(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise NotReadable(f"{path} is a folder, not a file") from error
    except OSError as error:
        raise NotReadable(f"cannot read {path}: {error.strerror}") from error


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
