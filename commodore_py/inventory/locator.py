"""Files and lines of parameters, applications and classes, for messages: looked up on demand."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .paths import Index

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.spot import Inclusion, ParameterPath

    from .explain.replay import Hierarchy

_INDEX = re.compile(r"\[\d+\]")


class Locator:
    """Gives places as text, empty if unknown: a message must not fail over its place."""

    def __init__(self, hierarchy: Callable[[], Hierarchy]) -> None:
        self._load = hierarchy

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        return self._load()

    def parameter(self, target: str, path: ParameterPath) -> str:
        """File and line of the layer that gave a parameter its value, or of the closest above.

        An item of a list may be written as the text `[0]`.
        """
        from .explain.tracer import ABSENT, Tracer  # for messages only

        path = tuple(
            Index(part[1:-1]) if isinstance(part, str) and _INDEX.fullmatch(part) else part
            for part in path
        )
        try:
            tracer = Tracer(self._hierarchy.replay(target))
            for length in range(len(path), 0, -1):
                steps = [step for step in tracer.follow(path[:length]) if step.value is not ABSENT]
                if steps:
                    return str(steps[-1].place)
        except CommodoreError:
            pass
        return ""

    def application(self, target: str, name: str) -> str:
        """File and line of the highest class that lists an application."""
        try:
            place = self._hierarchy.replay(target).place_of_application(name)
        except CommodoreError:
            place = None
        return str(place) if place else ""

    def class_file(self, name: str) -> str:
        """The file of a class."""
        exists = name in self._hierarchy.files
        return self._hierarchy.file_of(name) if exists else ""

    def included(self, target: str, prefix: str) -> tuple[Inclusion, ...]:
        """The lines that include classes whose full names begin so, in the order of merging."""
        try:
            return self._hierarchy.replay(target).inclusions(prefix)
        except CommodoreError:
            return ()


def with_place(where: str, place: str) -> str:
    """The subject of an error, after its place."""
    return f"{place}\n{where}" if place else where
