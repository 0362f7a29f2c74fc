"""Files and lines of parameters, applications and classes, for messages: looked up on demand."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Place
from commodore_py.model.spot import Inclusion

from .engine.classes import absolute_name
from .engine.references import parse
from .engine.values import ResolveError, Token
from .paths import Index

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.spot import ParameterPath

    from .explain.hierarchy import Hierarchy
    from .explain.replay import Replay

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
        from .explain.steps import ABSENT  # for messages only

        path = tuple(
            Index(part[1:-1]) if isinstance(part, str) and _INDEX.fullmatch(part) else part
            for part in path
        )
        try:
            replay = self._hierarchy.replay(target)
            for length in range(len(path), 0, -1):
                steps = [step for step in replay.follow(path[:length]) if step.value is not ABSENT]
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
            return _inclusions(self._hierarchy, self._hierarchy.replay(target), prefix)
        except CommodoreError:
            return ()


def _inclusions(hierarchy: Hierarchy, replay: Replay, prefix: str) -> tuple[Inclusion, ...]:
    from .explain.places import items_of  # for messages only

    order = {layer.absolute: number for number, layer in enumerate(replay.layers)}
    included_by = {
        layer.absolute: layer.chain[-2] for layer in replay.layers if len(layer.chain) > 1
    }
    lines: list[Inclusion] = []
    for layer in replay.layers:
        is_class = layer.absolute in hierarchy.files
        folder = hierarchy.files.folder(layer.absolute) if is_class else PurePosixPath()
        for written, line in items_of(layer.fields.get("classes")):
            name = absolute_name(_class_name(written, replay), folder)
            if name.startswith(prefix):
                merged = included_by.get(name) in (layer.name, layer.absolute)
                place = str(Place(layer.file, line))
                lines.append(Inclusion(name, layer.absolute, place, merged))
    return tuple(sorted(lines, key=lambda line: order.get(line.name, len(order))))


def _class_name(written: str, replay: Replay) -> str:
    """The name of a class with the final values of its references."""
    token = parse(written)
    try:
        return replay.resolver.text(token) if isinstance(token, Token) else written
    except ResolveError:
        return written


def with_place(where: str, place: str) -> str:
    """The subject of an error, after its place."""
    return f"{place}\n{where}" if place else where
