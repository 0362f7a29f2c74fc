"""The file system as work sees it, with a record of what it reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.reading import NotReadable

from . import digests
from .digests import UNREADABLE
from .questions.files import (
    Content,
    CurrentDirectory,
    Expansion,
    FileEntry,
    FolderTree,
    Judged,
    Listing,
    Location,
    PathKind,
)

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.overlay import Kind
    from commodore_py.model.tree import Entry, Tree

    from .questions.base import Question
    from .recorder import Recorder

_KNOWS_ITS_PLACE = b"thisFile"


class RecordingOverlay(Overlay):
    """Records every look-up in another view; a digest is made of exactly what is handed out."""

    __slots__ = ("_plain", "recorder")

    def __init__(self, plain: Overlay, recorder: Recorder) -> None:
        there = plain.trees, plain.written, plain.made
        super().__init__(plain.compiled, plain.catalog, *there, reach=plain.reach)
        self._plain = plain
        self.recorder = recorder

    def read(self, path: Path | str) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        try:
            content = self._plain.read(path)
        except NotReadable:
            self._note(Content, path, UNREADABLE)
            raise
        self._note(Content, path, digests.of_content(content, self.recorder.roots))
        if content is not None and _KNOWS_ITS_PLACE in content:
            self.show(path)
        return content

    def entry(self, path: Path) -> Entry | None:
        """A file with its mode, None if there is none; a folder is an error."""
        try:
            found = Overlay.entry(self, path)
        except NotReadable:
            self._note(FileEntry, path, UNREADABLE)
            raise
        self._note(FileEntry, path, digests.of_entry(found))
        return found

    def kind(self, path: Path) -> Kind | None:
        """Whether a file or a folder is there; links count as their target."""
        found = Overlay.kind(self, path)
        self._note(PathKind, path, PathKind.of(found))
        return found

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        try:
            found = Overlay.files_in(self, folder)
        except NotReadable:
            self._note(Listing, folder, UNREADABLE)
            raise
        self._note(Listing, folder, digests.of_names(found))
        return found

    def tree_at(self, folder: Path) -> Tree:
        """Everything below a folder."""
        found = Overlay.tree_at(self, folder)
        self._note(FolderTree, folder, digests.of_tree(found))
        return found

    def expand(self, pattern: Path) -> list[Path]:
        """What a path with wildcards stands for, sorted; hidden files need a dot in the pattern."""
        # Recorded as one question, without the look-ups that it takes.
        found = self._plain.expand(pattern)
        self._note(Expansion, pattern, Expansion.of(found, self.recorder.roots))
        return found

    def judge(self, path: str) -> None:
        """Refuse or report where a path leads to."""
        Overlay.judge(self, path)
        self._note(Judged, path, Judged.ALLOWED)

    def show(self, path: Path | str) -> None:
        """Component code can see where something is."""
        self._note(Location, path, Location.of(str(path)))

    def unseal(self, why: str) -> None:
        """Something is read in another way than this one."""
        self.recorder.unseal(why)

    def _note(self, kind: type[Question], path: Path | str, answer: bytes) -> None:
        roots = self.recorder.roots
        if not os.path.isabs(path):  # noqa: PTH117 - it may be a text
            here = roots.portable(os.getcwd())  # noqa: PTH109 - a text
            self.recorder.note(CurrentDirectory(""), here.encode(errors="surrogateescape"))
        self.recorder.note(kind(roots.portable(str(path))), answer)
