"""The file system as filters see it: compiled files come from this run, all else from disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping


_HIDDEN = PurePosixPath("/")


class NotReadable(CommodoreError):
    """A file or folder that a filter asked for is not there, or is the other of the two."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """`compiled/` is answered from trees; what earlier runs left there and in `catalog/` is hidden.

    Relative paths start in the current directory, as everywhere in a process.
    """

    compiled: Path
    catalog: Path
    trees: Mapping[str, Tree]

    def with_tree(self, instance: str, tree: Tree) -> Overlay:
        """The same view with another state of one instance."""
        return replace(self, trees={**self.trees, instance: tree})

    def read(self, path: Path) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        inside = self._inside(path)
        if inside is None:
            return _read_from_disk(path)
        tree, relative = self._look_up(inside)
        if relative in tree:
            return tree[relative].content
        if relative in tree.folders():
            raise NotReadable(f"{path} is a folder, not a file")
        return None

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        inside = self._inside(folder)
        if inside is None:
            return _list_on_disk(folder)
        tree, relative = self._look_up(inside)
        if relative not in tree.folders():
            kind = "is no folder" if relative in tree else "does not exist"
            raise NotReadable(f"{folder} {kind}")
        return tuple(path.name for path in tree if path.parent == relative)

    def _inside(self, path: Path) -> PurePosixPath | None:
        """The path relative to the folder of all trees, None if it lies on disk.

        What is hidden counts as part of a tree that does not exist.
        """
        absolute = path.absolute()
        if ".." in absolute.parts:
            absolute = Path(os.path.realpath(absolute))
        for root in {self.compiled, Path(os.path.realpath(self.compiled))}:
            if absolute.is_relative_to(root):
                return PurePosixPath(absolute.relative_to(root))
        for root in {self.catalog, Path(os.path.realpath(self.catalog))}:
            if absolute.is_relative_to(root):
                return _HIDDEN / absolute.relative_to(root)
        return None

    def _look_up(self, inside: PurePosixPath) -> tuple[Tree, PurePosixPath]:
        if not inside.parts:
            instances = frozenset(PurePosixPath(name) for name in self.trees)
            return Tree(empty_folders=instances), inside
        name, *rest = inside.parts
        tree = self.trees.get(name)
        # No folder of a missing tree may look like one that is there and empty.
        return (tree, PurePosixPath(*rest)) if tree is not None else (Tree(), inside)


def _read_from_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise NotReadable(f"{path} is a folder, not a file") from error
    except OSError as error:
        raise NotReadable(f"cannot read {path}: {error.strerror}") from error


def _list_on_disk(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(child.name for child in folder.iterdir() if child.is_file()))
    except NotADirectoryError as error:
        raise NotReadable(f"{folder} is no folder") from error
    except FileNotFoundError as error:
        raise NotReadable(f"{folder} does not exist") from error
    except OSError as error:
        raise NotReadable(f"cannot list {folder}: {error.strerror}") from error
