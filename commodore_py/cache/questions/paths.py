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

    def subject(self, about: str) -> str:
        """For people: the path without its root."""
        return about.partition(":")[2] or about


def _of_pattern(paths: list[Path], roots: Roots) -> str:
    return digests.of_names(roots.portable(str(path)) for path in paths) if paths else NOTHING


_CHANGED, _ELSE = "{} has changed", "something else is found at {}"
LOOKUPS = {
    lookup.name: lookup
    for lookup in (
        Lookup("content", _CHANGED, Files.read, digests.of_content),
        Lookup("file", _CHANGED, Files.entry, lambda entry, _: digests.of_entry(entry)),
        Lookup("kind", _ELSE, Files.kind, lambda kind, _: kind or NOTHING),
        Lookup("listing", _CHANGED, Files.files_in, lambda names, _: digests.of_names(names)),
        Lookup("tree", _CHANGED, Files.tree_at, lambda tree, _: digests.of_tree(tree)),
        Lookup("pattern", _ELSE, Files.expand, _of_pattern),
        # Where a path leads to is reported each time; the other answer is an error.
        Lookup("judged", "{} must not be read", Files.judge, lambda *_: "allowed"),
        # The path itself, for code that can see it.
        Lookup(
            "location",
            "the code uses the path of {}, which was another one",
            lambda _, path: path,
            lambda path, _: str(Path(path)),
        ),
    )
}
"""By the names under which `Files` reports its look-ups."""
