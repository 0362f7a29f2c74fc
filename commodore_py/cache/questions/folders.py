"""Questions about folders and patterns."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from commodore_py.adapters.files.view import Files
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING

from .files import PathQuestion

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.cache.roots import Roots
    from commodore_py.model.tree import Tree


class Listing(PathQuestion):
    """The names of the files in a folder."""

    kind = "listing"

    find = Files.files_in

    @staticmethod
    def of(answer: tuple[str, ...], _: Roots) -> str:
        """Its names."""
        return digests.of_names(answer)


class FolderTree(PathQuestion):
    """Everything in a folder."""

    kind = "tree"

    find = Files.tree_at

    @staticmethod
    def of(answer: Tree, _: Roots) -> str:
        """All files in it."""
        return digests.of_tree(answer)


class Expansion(PathQuestion):
    """The paths that match a pattern."""

    kind = "pattern"
    find = Files.expand

    @staticmethod
    def of(answer: list[Path], roots: Roots) -> str:
        """Its paths."""
        return digests.of_names(roots.portable(str(path)) for path in answer) if answer else NOTHING

    def is_own(self, path: str) -> bool:
        """Patterns match output of the own target."""
        return glob.has_magic(path)

    def describe(self, roots: Roots) -> str:
        """It matches other paths now."""
        return f"something else is found at {roots.absolute(self.about)}"
