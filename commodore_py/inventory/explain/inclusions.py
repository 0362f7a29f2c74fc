"""The lines of class files that include classes, in the order in which these are merged."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.inventory.engine.classes import absolute_name
from commodore_py.model.spot import Inclusion

from .places import Place, items_of
from .steps import ABSENT
from .tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .replay import Hierarchy, Layer, Replay

_REFERENCE = re.compile(r"\$\{([^${}]+)\}")


def inclusions(hierarchy: Hierarchy, target: str, prefix: str) -> Iterator[Inclusion]:
    """Lines that include classes whose full names begin with a prefix."""
    replay = hierarchy.replay(target)
    order = {layer.absolute: number for number, layer in enumerate(replay.layers)}
    found = [
        one
        for layer in replay.layers
        for one in _of_layer(hierarchy, replay, layer)
        if one.name.startswith(prefix)
    ]
    yield from sorted(found, key=lambda one: order.get(one.name, len(order)))


def _of_layer(hierarchy: Hierarchy, replay: Replay, layer: Layer) -> Iterator[Inclusion]:
    merged_by = {one.absolute: one.chain[-2] for one in replay.layers if len(one.chain) > 1}
    items = items_of(layer.fields.get("classes"))
    if not items:
        return
    known = layer.absolute in hierarchy.files
    folder = hierarchy.files.folder(layer.absolute) if known else PurePosixPath()
    for written, line in items:
        name = absolute_name(_resolved(written, replay), folder)
        first = merged_by.get(name) in (layer.name, layer.absolute)
        yield Inclusion(name, layer.absolute, str(Place(layer.file, line)), first)


def _resolved(name: str, replay: Replay) -> str:
    """The name of a class with the final values of its references."""
    tracer = Tracer(replay)

    def value(found: re.Match[str]) -> str:
        path, _, default = found[1].partition("::")
        known = tracer.value(tuple(path.split(":")))
        return default if known is ABSENT else str(known)

    return _REFERENCE.sub(value, name) if "${" in name else name
