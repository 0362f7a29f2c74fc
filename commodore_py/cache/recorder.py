"""Records of what a piece of work reads: questions, and digests of the answers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.reading import NotReadable

from . import digests
from .digests import UNREADABLE
from .questions.files import Content, FileEntry, Judged, Location, PathKind
from .questions.folders import Expansion, FolderTree, Listing

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.overlay import Kind
    from commodore_py.model.tree import Entry, Tree

    from .questions.base import Question, View
    from .roots import Roots

# Jsonnet code that can tell where it is.
_KNOWS_ITS_PATH = b"thisFile"


class Recorder:
    """The questions of one piece of work with their answers, in order."""

    def __init__(self, roots: Roots) -> None:
        self.roots = roots
        self.answers: dict[str, str] = {}
        self.traces: list[bytes] = []
        """What code printed; printed again with a cached result."""
        self.unsealed = ""
        """Why the record is incomplete; empty while it has all that the work depends on."""

    def note(self, question: Question, answer: str) -> None:
        """Record one answer."""
        if self.answers.setdefault(str(question), answer) != answer:
            self.unseal(f"{question.name} changed while it was read")

    def ask(self, question: Question, view: View) -> str:
        """Ask a question, and record its answer."""
        answer = question.ask(view)
        self.note(question, answer)
        return answer

    def note_folders_in(self, content: bytes) -> None:
        """Record that a result holds paths of this working directory."""
        for folder in self.roots.folders_in(content):
            self.note(Location(self.roots.portable(folder)), folder)

    def unseal(self, why: str) -> None:
        """Something was used that is not recorded; the first reason is reported."""
        self.unsealed = self.unsealed or why


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
        if content is not None and _KNOWS_ITS_PATH in content:
            self.show(path)
        return content

    def entry(self, path: Path) -> Entry | None:
        """A file with its mode, None if there is none; a folder is an error."""
        try:
            entry = Overlay.entry(self, path)
        except NotReadable:
            self._note(FileEntry, path, UNREADABLE)
            raise
        self._note(FileEntry, path, digests.of_entry(entry))
        return entry

    def kind(self, path: Path) -> Kind | None:
        """Whether a file or a folder is there; links count as their target."""
        kind = Overlay.kind(self, path)
        self._note(PathKind, path, kind or digests.NOTHING)
        return kind

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Names of the regular files directly in a folder, sorted; links count as their target."""
        try:
            names = Overlay.files_in(self, folder)
        except NotReadable:
            self._note(Listing, folder, UNREADABLE)
            raise
        self._note(Listing, folder, digests.of_names(names))
        return names

    def tree_at(self, folder: Path) -> Tree:
        """Everything below a folder."""
        tree = Overlay.tree_at(self, folder)
        self._note(FolderTree, folder, digests.of_tree(tree))
        return tree

    def expand(self, pattern: Path) -> list[Path]:
        """What a path with wildcards stands for, sorted; hidden files need a dot in the pattern."""
        # Recorded as one question, without the look-ups that it takes.
        paths = self._plain.expand(pattern)
        self._note(Expansion, pattern, Expansion.of(paths, self.recorder.roots))
        return paths

    def judge(self, path: str) -> None:
        """Refuse or report where a path leads to."""
        Overlay.judge(self, path)
        self._note(Judged, path, Judged.ALLOWED)

    def show(self, path: Path | str) -> None:
        """Component code can see where something is."""
        self._note(Location, path, str(path))

    def unseal(self, why: str) -> None:
        """Something is read in another way than this one."""
        self.recorder.unseal(why)

    def _note(self, kind: type[Question], path: Path | str, answer: str) -> None:
        if not os.path.isabs(path):  # noqa: PTH117 - it may be a text
            self.unseal(f"{path} is relative to the current directory")
        self.recorder.note(kind(self.recorder.roots.portable(str(path))), answer)
