"""Where downloads may be put: inside of the working directory or of a component's checkout."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git.repository import folders_of
from commodore_py.errors import CommodoreError

from .record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import WorkPaths


@dataclass(frozen=True, slots=True)
class Bounds:
    """The folders that are ours to write to, and what in them is not."""

    paths: WorkPaths
    output: Path
    """Where relative paths start."""
    checkouts: Mapping[str, Path]
    """By instance, where its component lies."""

    def place(self, path: str, target: str) -> Path:
        """The real place of an output path; an error if it is none of ours."""
        # By name first, as Kapitan does; what is a link on disk is another question.
        absolute = Path(os.path.normpath(self.output / path))
        place = absolute.parent.resolve() / absolute.name if absolute.name else absolute
        place = place.resolve() if place.is_dir() else place
        own = self.checkouts.get(target)
        allowed = [self.paths.root, self.output, *([own] if own is not None else [])]
        if not any(place.is_relative_to(folder.resolve()) for folder in allowed):
            raise CommodoreError(
                f"{path} is outside of the working directory and of the component's checkout"
                + (f": it leads to {place}" if place != absolute else ""),
                hint="put it below ${_base_directory}",
            )
        self.check([place], path)
        return place

    def check(self, places: Iterable[Path], path: str = "") -> None:
        """Refuse what belongs to Git or to ourselves."""
        # As texts, as there may be many thousands of places.
        private = tuple(f"{folder}/" for folder in self._private())
        for place in places:
            if f"{place}/".startswith(private):
                folder = next(one for one in private if f"{place}/".startswith(one))
                raise CommodoreError(
                    f"{path or place} would overwrite what Git or Commodore keeps in {folder[:-1]}",
                    hint="put it into a folder of its own",
                )

    def record_of(self, place: Path) -> Record:
        """The notes about a place: they belong to the checkout that it is in."""
        for checkout in sorted({*self.checkouts.values()}, key=lambda p: len(str(p)), reverse=True):
            root = checkout.resolve()
            folders = folders_of(root) if place.is_relative_to(root) else None
            if folders is not None:
                return Record.read(folders.own, root)
        return Record.read(self.paths.state, self.paths.root.resolve())

    def _private(self) -> list[Path]:
        root = self.paths.root.resolve()
        tops = [root, self.output.resolve(), self.paths.catalog.resolve()]
        tops += [checkout.resolve() for checkout in self.checkouts.values()]
        return [
            *(top / ".git" for top in tops),
            self.paths.state.resolve(),
            self.paths.bare_clones.resolve(),
        ]
