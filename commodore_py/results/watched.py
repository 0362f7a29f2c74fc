"""The file system as work sees it, and a record of what it looks at."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files.overlay import NotReadable, Overlay

from .marks import (
    NOTHING,
    UNREADABLE,
    mark_of_content,
    mark_of_entry,
    mark_of_names,
    mark_of_tree,
)
from .reads import Reads
from .roots import Roots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.adapters.files.overlay import Kind
    from commodore_py.model.tree import Entry, Tree

CONTENT, ENTRY, KIND, NAMES, TREE, EXPANDED, PLACE, HERE = "rekltxpc"
"""Kinds of questions about paths; the last is where those begin that are not absolute."""

_KNOWS_ITS_PLACE = b"thisFile"
_NO_ROOTS = Roots({})


@dataclass(frozen=True, slots=True)
class WatchedOverlay(Overlay):
    """Tells everything to `reads`; a mark is made of exactly what is handed out."""

    reads: Reads = field(default_factory=lambda: Reads(_NO_ROOTS))

    @classmethod
    def over(cls, plain: Overlay, reads: Reads) -> WatchedOverlay:
        """The same view, watched."""
        there = plain.written, plain.made
        return cls(plain.compiled, plain.catalog, plain.trees, *there, reads)

    def read(self, path: Path | str) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        try:
            content = self._plain().read(path)
        except NotReadable:
            self._note(CONTENT, path, UNREADABLE)
            raise
        self._note(CONTENT, path, mark_of_content(content, self.reads.roots))
        if content is not None and _KNOWS_ITS_PLACE in content:
            self.show(path)
        return content

    def entry(self, path: Path) -> Entry | None:
        """A file with its mode, None if there is none; a folder is an error."""
        try:
            found = Overlay.entry(self, path)
        except NotReadable:
            self._note(ENTRY, path, UNREADABLE)
            raise
        self._note(ENTRY, path, mark_of_entry(found))
        return found

    def kind(self, path: Path) -> Kind | None:
        """Whether a file or a folder is there; links count as their target."""
        found = Overlay.kind(self, path)
        self._note(KIND, path, _mark_of_kind(found))
        return found

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        try:
            found = Overlay.files_in(self, folder)
        except NotReadable:
            self._note(NAMES, folder, UNREADABLE)
            raise
        self._note(NAMES, folder, mark_of_names(found))
        return found

    def tree_at(self, folder: Path) -> Tree:
        """Everything below a folder."""
        found = Overlay.tree_at(self, folder)
        self._note(TREE, folder, mark_of_tree(found))
        return found

    def expand(self, pattern: Path) -> list[Path]:
        """What a path with wildcards stands for, sorted; hidden files need a dot in the pattern."""
        # Unwatched, as the parts of it are no questions of their own.
        found = self._plain().expand(pattern)
        self._note(EXPANDED, pattern, _mark_of_paths(self.reads.roots, found))
        return found

    def show(self, path: Path | str) -> None:
        """Component code gets to see where something lies."""
        self._note(PLACE, path, str(path).encode(errors="surrogateescape"))

    def unseal(self, why: str) -> None:
        """Something is looked at by another way than this one."""
        self.reads.unseal(why)

    def _note(self, kind: str, path: Path | str, answer: bytes) -> None:
        if not os.path.isabs(path):  # noqa: PTH117 - it may be a text
            self.reads.note(HERE, "", _here(self, Path(path), self.reads.roots))
        self.reads.note_path(kind, str(path), answer)

    def _plain(self) -> Overlay:
        return Overlay(self.compiled, self.catalog, self.trees, self.written, self.made)


def _mark_of_kind(kind: Kind | None) -> bytes:
    return kind.encode() if kind else NOTHING


def _mark_of_paths(roots: Roots, paths: list[Path]) -> bytes:
    return mark_of_names(tuple(roots.portable(str(path)) for path in paths)) if paths else NOTHING


def _content(overlay: Overlay, path: Path, roots: Roots) -> bytes:
    return mark_of_content(overlay.read(path), roots)


def _entry(overlay: Overlay, path: Path, _: Roots) -> bytes:
    return mark_of_entry(overlay.entry(path))


def _kind(overlay: Overlay, path: Path, _: Roots) -> bytes:
    return _mark_of_kind(overlay.kind(path))


def _names(overlay: Overlay, path: Path, _: Roots) -> bytes:
    return mark_of_names(overlay.files_in(path))


def _tree(overlay: Overlay, path: Path, _: Roots) -> bytes:
    return mark_of_tree(overlay.tree_at(path))


def _expanded(overlay: Overlay, path: Path, roots: Roots) -> bytes:
    return _mark_of_paths(roots, overlay.expand(path))


def _quick_content(path: str, roots: Roots) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - very many
            return mark_of_content(file.read(), roots)
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except OSError:
        return UNREADABLE


def _quick_kind(path: str, _: Roots) -> bytes:
    if os.path.isdir(path):  # noqa: PTH112 - as above
        return b"folder"
    return b"file" if os.path.exists(path) else NOTHING  # noqa: PTH110 - as above


def _place(_: Overlay, path: Path, __: Roots) -> bytes:
    return str(path).encode(errors="surrogateescape")


def _here(_: Overlay, __: Path, roots: Roots) -> bytes:
    return roots.portable(os.getcwd()).encode(errors="surrogateescape")  # noqa: PTH109 - a text


ANSWERS: Mapping[str, Callable[[Overlay, Path, Roots], bytes]] = {
    CONTENT: _content,
    ENTRY: _entry,
    KIND: _kind,
    NAMES: _names,
    TREE: _tree,
    EXPANDED: _expanded,
    PLACE: _place,
    HERE: _here,
}
"""The mark that each kind of question would get now."""

QUICK: Mapping[str, Callable[[str, Roots], bytes]] = {
    CONTENT: _quick_content,
    KIND: _quick_kind,
}
"""The same of what lies on disk and is not hidden, for the kinds that are asked most."""
