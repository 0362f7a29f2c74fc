"""The inventory as component code imports and asks for it, and a record of what was used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .imports import InventoryImports, name_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.results import Marks, Reads

    from .imports import TargetViews

IMPORTED, WHOLE, TARGETS, REFERENCE = "ivnh"
"""Kinds of questions about the inventory, and about files of references to secrets."""

_PARAMETERS = "parameters"


class InventoryMarks:
    """What the inventory says now, as marks: nothing is made into Jsonnet for that."""

    def __init__(self, views: TargetViews, marks: Marks) -> None:
        self._views = views
        self._marks = marks
        self._known: dict[tuple[str, str], bytes] = {}

    def questions(
        self, target: str, hashes: Mapping[str, str]
    ) -> Mapping[str, Callable[[str], bytes]]:
        """By kind of question, how it is answered for one target."""
        return {
            IMPORTED: lambda name: self.imported(name, target),
            WHOLE: self.whole,
            TARGETS: lambda _: self.targets(),
            REFERENCE: lambda file: hashes.get(file, "").encode(),
        }

    def imported(self, name: str, target: str) -> bytes:
        """The mark of what one file that exists for the importer stands for."""
        known = self._known.get((target, name))
        if known is None:
            known = self._known[target, name] = self._imported(parts_of(name), target)
        return known

    def whole(self, target: str) -> bytes:
        """The mark of all that code sees of a target."""
        return self._marks.of(self._views.of(target)) if target in self._views.names() else b""

    def targets(self) -> bytes:
        """The mark of the names of all targets."""
        return self._marks.of(self._views.names())

    def _imported(self, parts: list[str], target: str) -> bytes:
        match parts:
            case ["all"]:
                return self.targets()
            case ["self", *below]:
                return self._part(target, below)
            case ["targets", name, *below] if name in self._views.names():
                return self._part(name, below)
        return b""

    def _part(self, target: str, below: list[str]) -> bytes:
        view = self._views.of(target)
        match below:
            case []:
                # Such a file holds names only: what stands behind them is imported, too.
                return self._marks.of((tuple(view), tuple(view[_PARAMETERS])))
            case [section] if section in view:
                return self._marks.of(view[section])
            case [section, key] if section == _PARAMETERS and key in view[section]:
                return self._marks.of(view[section][key])
        return b""


class WatchedImports(InventoryImports):
    """The same files; what is imported is noted."""

    def __init__(self, plain: InventoryImports, marks: InventoryMarks, reads: Reads) -> None:
        # Not called for the parent: what it has made already is shared.
        self.views = _WatchedViews(plain.views, marks, reads)
        self._plain = plain
        self._marks = marks
        self._reads = reads

    def read(self, path: Path | str, target: str) -> bytes | None:
        """A file as one target gets to see it, None if it is none of these files."""
        name = name_of(path)
        if name is None:
            return None
        self._reads.note(IMPORTED, name, self._marks.imported(name, target))
        return self._plain.read(path, target)


class _WatchedViews:
    """What natives look at: a target they ask for counts as a whole."""

    def __init__(self, plain: TargetViews, marks: InventoryMarks, reads: Reads) -> None:
        self._plain = plain
        self._marks = marks
        self._reads = reads

    def of(self, target: str) -> Mapping[str, Any]:
        self._reads.note(WHOLE, target, self._marks.whole(target))
        return self._plain.of(target)

    def names(self) -> tuple[str, ...]:
        self._reads.note(TARGETS, "", self._marks.targets())
        return self._plain.names()


class WatchedHashes(Mapping[str, str]):
    """Hashes of files of references: which of them are looked for is noted."""

    def __init__(self, plain: Mapping[str, str], reads: Reads) -> None:
        self._plain = plain
        self._reads = reads

    def __getitem__(self, file: str) -> str:
        self._reads.note(REFERENCE, file, self._plain.get(file, "").encode())
        return self._plain[file]

    def __iter__(self) -> Iterator[str]:
        self._reads.unseal("all references to secrets are looked at")
        return iter(self._plain)

    def __len__(self) -> int:
        self._reads.unseal("all references to secrets are looked at")
        return len(self._plain)
