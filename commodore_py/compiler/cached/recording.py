"""The inventory as component code imports and queries it, with a record of what is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.cache.questions.inventory import InventoryPart, Reference
from commodore_py.compiler.inventory.imports import InventoryImports, part_name

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.cache.questions.base import TargetViews, View
    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.inventory.imports import ImportFile


class RecordingImports(InventoryImports):
    """The same files; imports are recorded."""

    def __init__(self, plain: InventoryImports, view: View, recorder: Recorder) -> None:
        # The parent's is not called: what it has made already is shared.
        self.views = _RecordingViews(plain.views, view, recorder)
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def read(self, path: Path | str, target: str) -> ImportFile | None:
        """A file as one target gets to see it, None if it is none of these files."""
        name = part_name(path)
        if name is None:
            return None
        self._recorder.ask(InventoryPart(name), self._view)
        return self._plain.read(path, target)


class _RecordingViews:
    """What natives read: a requested target counts as a whole."""

    def __init__(self, plain: TargetViews, view: View, recorder: Recorder) -> None:
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def of(self, target: str) -> Mapping[str, Any]:
        self._recorder.ask(InventoryPart.at("whole", target), self._view)
        return self._plain.of(target)

    def names(self) -> tuple[str, ...]:
        self._recorder.ask(InventoryPart.at("all"), self._view)
        return self._plain.names()


class RecordingHashes(Mapping[str, str]):
    """Hashes of files of references; those that are looked up are recorded."""

    def __init__(self, plain: Mapping[str, str], view: View, recorder: Recorder) -> None:
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def __getitem__(self, file: str) -> str:
        self._recorder.ask(Reference(file), self._view)
        return self._plain[file]

    def __iter__(self) -> Iterator[str]:
        self._recorder.unseal("all references to secrets are read")
        return iter(self._plain)

    def __len__(self) -> int:
        self._recorder.unseal("all references to secrets are read")
        return len(self._plain)
