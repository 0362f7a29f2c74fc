"""Records of what a piece of work reads: questions, and digests of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.adapters.reading import NotReadable

from .digests import UNKNOWN, UNREADABLE
from .questions import answer
from .questions.inventory import INVENTORY
from .questions.paths import LOOKUPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.jsonnet.inventory import TargetViews

    from .questions.base import View
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

    def note(self, question: str, answer: str) -> None:
        """Record one answer."""
        about = question.partition(" ")[2]
        if answer == UNKNOWN:
            self.unseal(f"{about} is not known")
        elif self.answers.setdefault(question, answer) != answer:
            self.unseal(f"{about} changed while it was read")

    def ask(self, question: str, view: View) -> None:
        """Ask a question, and record its answer."""
        self.note(question, answer(question, view))

    def saw(self, kind: str, path: str, answer: Any) -> None:  # noqa: ANN401 - of any look-up
        """Record a look-up of files, by exactly what was handed out."""
        if not path.startswith("/"):
            self.unseal(f"{path} is relative to the current directory")
        lookup = LOOKUPS[kind]
        unreadable = isinstance(answer, NotReadable)
        digest = UNREADABLE if unreadable else lookup.digest(answer, self.roots)
        self.note(f"{kind} {self.roots.portable(path)}", digest)
        if isinstance(answer, bytes) and _KNOWS_ITS_PATH in answer:
            self.saw("location", path, path)

    def note_folders_in(self, content: bytes) -> None:
        """Record that a result holds paths of this working directory."""
        for name in self.roots.named_in(content):
            folder = self.roots.absolute(f"{name}:")
            self.saw("location", folder, folder)

    def unseal(self, why: str) -> None:
        """Something was used that is not recorded; the first reason is reported."""
        self.unsealed = self.unsealed or why


class RecordingImports(InventoryImports):
    """The inventory as code imports and queries it, with a record of what is used."""

    def __init__(self, plain: InventoryImports, view: View, recorder: Recorder) -> None:
        super().__init__(_RecordingViews(plain.views, view, recorder), plain.folder)
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def read(self, path: str, target: str) -> bytes | None:
        """A file as one target gets to see it, None if it is none of these files."""
        name = self.part_at(path)
        if name is None:
            return None
        self._recorder.ask(INVENTORY.question(name), self._view)
        return self._plain.read(path, target)


class _RecordingViews:
    """Record what natives read: a requested target counts as a whole."""

    def __init__(self, plain: TargetViews, view: View, recorder: Recorder) -> None:
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def of(self, target: str) -> Mapping[str, Any]:
        part = f"whole/{quote(target, safe='')}"
        self._recorder.ask(INVENTORY.question(part), self._view)
        return self._plain.of(target)

    def names(self) -> tuple[str, ...]:
        self._recorder.ask(INVENTORY.question("targets"), self._view)
        return self._plain.names()
