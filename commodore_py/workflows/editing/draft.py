"""Class files as the operations of an edit have left them so far: nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.reading import content_of
from commodore_py.dependencies.protection.edit_journal import refuse_other_files
from commodore_py.inventory.explain.replay import compiled_hierarchy

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy

    from .layers import Choice


class Draft:
    """The hierarchy of the last compile with some class files changed."""

    def __init__(self, paths: WorkPaths) -> None:
        self.paths = paths
        self._staged: dict[str, bytes] = {}
        self._read: dict[str, tuple[Path, bytes]] = {}
        self._hierarchy: Hierarchy | None = None

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy with what is staged."""
        if self._hierarchy is None:
            self._hierarchy = compiled_hierarchy(self.paths, self._staged)
        return self._hierarchy

    def text(self, choice: Choice) -> bytes:
        """The class file of a layer that may be edited."""
        refuse_other_files(self.paths, choice.real_file)
        if choice.name not in self._read:
            self._read[choice.name] = (choice.real_file, content_of(choice.file))
        return self._staged.get(choice.name, self._read[choice.name][1])

    def stage(self, choice: Choice, text: bytes) -> None:
        """Have another text in place of a class file."""
        if text != self.text(choice):
            self._staged[choice.name] = text
            self._hierarchy = None

    def files(self) -> dict[Path, tuple[bytes, bytes]]:
        """The files that change, as they were read and as they are staged."""
        return {
            file: (before, self._staged[name])
            for name, (file, before) in self._read.items()
            if self._staged.get(name, before) != before
        }
