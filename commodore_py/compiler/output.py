"""The output of a target so far: its tree, and files at absolute places of its checkout."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath
from posixpath import isabs, normpath
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import has_git_name
from commodore_py.model.names import problem_of_path, shown
from commodore_py.model.tree import Entry, Tree, empty_among

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.model.problem import Problem

Place: TypeAlias = PurePosixPath | Path
"""A path in the target's tree, or an absolute one in the component's checkout."""


@dataclass(frozen=True, slots=True)
class Output:
    """The state of one target between two entries."""

    target: str
    checkout: Path | None
    tree: Tree = Tree()
    written: Mapping[Path, Entry | None] = field(default_factory=dict)
    made: frozenset[Path] = frozenset()
    """Folders that are to be in the checkout; there may be nothing in them."""
    problems: tuple[Problem, ...] = ()
    """Problems of entries that are not cached."""

    @property
    def folder(self) -> str:
        """The target's folder below `compiled/`."""
        return self.target.replace(".", "/")

    def place(self, output_path: str, name: str = "") -> Place:
        """The location of a name below an output path; an error outside of both folders."""
        text = normpath(
            f"{output_path}/{name}" if name and not isabs(name) else name or output_path
        )
        problem = problem_of_path(text)
        if problem:
            raise CommodoreError(
                f"{shown(name or output_path)} cannot be a file of the output: its path {problem}",
                hint="choose another key or output path",
            )
        path, checkout = Path(text), self.checkout
        if not isabs(text) and path.parts[:1] != ("..",):
            return PurePosixPath(text)
        if (
            isabs(text)
            and checkout is not None
            and path.is_relative_to(checkout)
            and not has_git_name(str(path.relative_to(checkout)))
        ):
            return path
        raise CommodoreError(
            f"{text} would be written or removed outside of compiled/{self.target}",
            hint="output goes below it, or to an absolute path in the component's own checkout",
        )

    def with_files(self, files: Mapping[Place, Entry]) -> Output:
        """With files added; the last one to a path wins."""
        in_tree = {path: entry for path, entry in files.items() if not isinstance(path, Path)}
        placed = {path: entry for path, entry in files.items() if isinstance(path, Path)}
        tree = self.tree.plus(in_tree) if in_tree else self.tree
        clashes = sorted(tree.folders() & tree.keys()) if in_tree else ()
        if clashes:
            raise CommodoreError(
                f"{clashes[0]} is a file and a folder at the same time",
                hint="write one of the two to another name",
            )
        return replace(self, tree=tree, written={**self.written, **placed})

    def with_folder(self, folder: Place) -> Output:
        """With a folder that is there even if nothing is written into it."""
        if isinstance(folder, Path):
            return self if folder in self.made else replace(self, made=self.made | {folder})
        if folder in self.tree.folders():
            return self
        if folder in self.tree:
            raise CommodoreError(f"{folder} is a file, and output should go below it")
        empty = _empty({*self.tree.empty_folders, folder}, self.tree)
        return replace(self, tree=Tree(self.tree, empty))

    def without(self, paths: Iterable[Place], folders: Iterable[Path] = ()) -> Output:
        """With files and folders taken away; a folder that loses its last file stays.

        Of folders in the checkout, those can go that were made here, and only by name.
        """
        tops, removed = tuple(folders), [path for path in paths if not isinstance(path, Path)]
        placed = [path for path in paths if isinstance(path, Path)]
        entries = {path: entry for path, entry in self.tree.items() if not _lies_in(path, removed)}
        left = {folder for folder in self.tree.folders() if not _lies_in(folder, removed)}
        return replace(
            self,
            tree=Tree(entries, _empty(left, entries)),
            written={**self.written, **dict.fromkeys(placed)},
            made=frozenset(folder for folder in self.made if not _lies_in(folder, tops)),
        )


def _lies_in(path: PurePath, tops: Iterable[PurePath]) -> bool:
    return any(map(path.is_relative_to, tops))


def _empty(
    folders: Iterable[PurePosixPath], entries: Mapping[PurePosixPath, Entry]
) -> frozenset[PurePosixPath]:
    return empty_among([folder for folder in folders if folder.parts], entries)
