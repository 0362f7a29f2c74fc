"""Where entries and natives find files: the search paths in order, through the overlay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.overlay import Overlay


class Lookup(NamedTuple):
    """The files of one target at one moment of its compile.

    Output of earlier entries of the target is at `compiled/<target>/...` below the working
    directory, which is one of the search paths.
    """

    search_paths: tuple[Path, ...]
    files: Overlay

    def first(self, name: str) -> Path | None:
        """The first search path's file or folder of that name; an absolute name is itself."""
        for folder in self.search_paths:
            candidate = folder / name
            if self.files.kind(candidate) is not None:
                return candidate
        return None

    def every(self, pattern: str) -> list[Path]:
        """What a name stands for in all search paths, in their order; it may hold wildcards."""
        found: dict[Path, None] = {}
        for folder in self.search_paths:
            found.update(dict.fromkeys(self.files.expand(folder / pattern)))
        return list(found)

    def with_files(self, files: Overlay) -> Lookup:
        """The same search paths over another state of the files."""
        return self._replace(files=files)
