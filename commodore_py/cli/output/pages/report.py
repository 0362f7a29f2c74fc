"""The page about a catalog, made while a compile ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.cli.output import differences

from . import Section, changes, compiled

if TYPE_CHECKING:
    from commodore_py.model.published import Published
    from commodore_py.model.stages import Rendered, Sources


class ReportObserver:
    """Makes the sections while the files of the run are there."""

    first = True

    def __init__(self) -> None:
        self.sections: list[Section] = []

    def started(self) -> None:
        """Nothing is known yet."""

    def finished(self, sources: Sources, rendered: Rendered, published: Published) -> None:
        """The run has ended well."""
        change = published.change
        options = differences.DiffOptions("objects")
        diff = differences.diff_of(change, options, differences.unchanged_of(change))
        self.sections = [
            compiled.overview(sources, rendered, published),
            *changes.sections_of(diff),
            *compiled.sections_of(sources, rendered, published),
        ]
