"""Questions about files, folders and patterns."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.reading import NotReadable
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN, UNREADABLE

from .base import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.cache.roots import Roots

    from .base import View


@dataclass(frozen=True)
class Lookup(Kind):
    """A look-up in the view of the file system; the path is portable, see `Roots`."""

    find: Callable[[Files, Path], Any]
    digest: Callable[[Any, Roots], str]
    """The answer for what `find` returns."""
    change: str = "{} has changed"

    def ask(self, about: str, view: View) -> str:
        """The answer for what is on disk, or for what this run wrote there."""
        if not view.roots.knows(about):
            return UNKNOWN
        path = view.roots.absolute(about)
        # A pattern matches output of the own target as well: it has one answer for each.
        if view.disk_only and not view.files.hides(path) and not glob.has_magic(path):
            return view.once(self.question(about), lambda: self._answer(path, view))
        return self._answer(path, view)

    def _answer(self, path: str, view: View) -> str:
        try:
            return self.digest(self.find(view.files, Path(path)), view.roots)
        except (NotReadable, OSError):
            return UNREADABLE

    def describe(self, about: str, roots: Roots) -> str:
        """For people: which path has changed, and how."""
        return self.change.format(roots.absolute(about))


def _of_pattern(paths: list[Path], roots: Roots) -> str:
    return digests.of_names(roots.portable(str(path)) for path in paths) if paths else NOTHING


_ELSE = "something else is found at {}"
LOOKUPS = {
    lookup.name: lookup
    for lookup in (
        Lookup("content", Files.read, digests.of_content),
        Lookup("file", Files.entry, lambda entry, _: digests.of_entry(entry)),
        Lookup("kind", Files.kind, lambda kind, _: kind or NOTHING, _ELSE),
        Lookup("listing", Files.files_in, lambda names, _: digests.of_names(names)),
        Lookup("tree", Files.tree_at, lambda tree, _: digests.of_tree(tree)),
        Lookup("pattern", Files.expand, _of_pattern, _ELSE),
        # Where a path leads to is reported each time; the other answer is an error.
        Lookup("judged", Files.judge, lambda *_: "allowed", "{} must not be read"),
        # The path itself, for code that can see it.
        Lookup(
            "location",
            lambda _, path: path,
            lambda path, _: str(Path(path)),
            "the code uses its own path, which was not {}",
        ),
    )
}
"""By the names under which `Files` reports its look-ups."""
