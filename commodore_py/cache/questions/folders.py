"""Questions about folders and patterns."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING

from .files import PathQuestion

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.overlay import Overlay
    from commodore_py.cache.roots import Roots


class Listing(PathQuestion):
    """The names of the files in a folder."""

    kind = "listing"

    def look(self, files: Overlay, path: Path, _: Roots) -> str:
        """Its names."""
        return digests.of_names(files.files_in(path))


class FolderTree(PathQuestion):
    """Everything in a folder."""

    kind = "tree"

    def look(self, files: Overlay, path: Path, _: Roots) -> str:
        """All files in it."""
        return digests.of_tree(files.tree_at(path))


class Expansion(PathQuestion):
    """The paths that match a pattern."""

    kind = "pattern"

    @staticmethod
    def of(paths: list[Path], roots: Roots) -> str:
        """The digest of some paths."""
        return digests.of_names(roots.portable(str(path)) for path in paths) if paths else NOTHING

    def look(self, files: Overlay, path: Path, roots: Roots) -> str:
        """Its paths."""
        return self.of(files.expand(path), roots)

    def is_own(self, path: str) -> bool:
        """Patterns match output of the own target."""
        return glob.has_magic(path)

    def describe(self, roots: Roots) -> str:
        """It matches other paths now."""
        return f"something else is found at {roots.absolute(self.about)}"
