"""Where something in the configuration stands, for messages: looked up only when asked."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.spot import ParameterPath

    from .explain.replay import Hierarchy


class Locator:
    """Answers as text, empty where there is none: a message must not fail over its place."""

    def __init__(self, hierarchy: Callable[[], Hierarchy]) -> None:
        self._made = hierarchy

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        return self._made()

    def parameter(self, target: str, path: ParameterPath) -> str:
        """File and line of the layer that gave a parameter its value, or of the closest above.

        An item of a list may be written as the text `[0]`.
        """
        # Places are asked for when something is wrong.
        from .explain.steps import ABSENT  # noqa: PLC0415
        from .explain.tracer import Tracer  # noqa: PLC0415

        try:
            tracer = Tracer(self._hierarchy.replay(target))
            path = tracer.as_path(path)
            for length in range(len(path), 0, -1):
                steps = [step for step in tracer.follow(path[:length]) if step.value is not ABSENT]
                if steps:
                    return str(steps[-1].place)
        except CommodoreError:
            pass
        return ""

    def application(self, target: str, name: str) -> str:
        """File and line of the class that lists an application, and was not taken back."""
        try:
            place = self._hierarchy.replay(target).place_of_application(name)
        except CommodoreError:
            place = None
        return str(place) if place else ""

    def class_file(self, name: str) -> str:
        """The file of a class."""
        known = name in self._hierarchy.files
        return self._hierarchy.file_of(name) if known else ""


def with_place(where: str, place: str) -> str:
    """What an error is about, after the place where it stands."""
    return f"{place}\n{where}" if place else where
