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


@dataclass(frozen=True, slots=True)
class Lookup:
    """A look-up in the view of the file system."""

    change: str
    """As that of a kind of questions."""
    find: Callable[[Files, Path], Any]
    digest: Callable[[Any, Roots], str]
    """The answer for what `find` returns."""


def kind_of(name: str, lookup: Lookup) -> Kind:
    """The questions with the answers of a look-up, each about a portable path, see `Roots`."""

    def answer_at(path: str, view: View) -> str:
        try:
            return lookup.digest(lookup.find(view.files, Path(path)), view.roots)
        except (NotReadable, OSError):
            return UNREADABLE

    def ask(about: str, view: View) -> str:
        """The answer for what is on disk, or for what this run wrote there."""
        try:
            path = view.roots.absolute(about)
        except KeyError:
            return UNKNOWN
        # A pattern matches output of the own target as well: it has one answer for each.
        if view.disk_only and not view.files.hides(path) and not glob.has_magic(path):
            return view.once(f"{name} {about}", lambda: answer_at(path, view))
        return answer_at(path, view)

    return Kind(name, lookup.change, ask, lambda about: about.partition(":")[2] or about)


def _of_pattern(paths: list[Path], roots: Roots) -> str:
    return digests.of_names(roots.portable(str(path)) for path in paths) if paths else NOTHING


_CHANGED, _ELSE = "{} has changed", "something else is found at {}"
LOOKUPS = {
    "content": Lookup(_CHANGED, Files.read, digests.of_content),
    "file": Lookup(_CHANGED, Files.entry, lambda entry, _: digests.of_entry(entry)),
    "kind": Lookup(_ELSE, Files.kind, lambda kind, _: kind or NOTHING),
    "listing": Lookup(_CHANGED, Files.files_in, lambda names, _: digests.of_names(names)),
    "tree": Lookup(_CHANGED, Files.tree_at, lambda tree, _: digests.of_tree(tree)),
    "pattern": Lookup(_ELSE, Files.expand, _of_pattern),
    # Where a path leads to is reported each time; the other answer is an error.
    "judged": Lookup("{} must not be read", Files.judge, lambda *_: "allowed"),
    # The path itself, for code that can see it.
    "location": Lookup(
        "the code uses the path of {}, which was another one",
        lambda _, path: path,
        lambda path, _: str(Path(path)),
    ),
}
"""By the names under which `Files` reports its look-ups."""
