"""Kinds that no API has, and that are one with a typing mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.desired.schema import builtin_kinds
from commodore_py.model.names import typo_of

from .base import Issue
from .schemas.definitions import definitions_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Item, Settings

NAME = "kinds"


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Objects whose kind is missing in its group, if another one was probably meant."""
    kinds = builtin_kinds()
    defined = {definition.of for definition in definitions_in(items)}
    for item in items:
        group, kind = item.api_version.rpartition("/")[0], item.id.kind
        if (group, kind) in kinds or (group, kind) in defined:
            continue
        meant = typo_of(kind, sorted(name for of, name in {*kinds, *defined} if of == group))
        if not meant and "." not in group:  # a group of Kubernetes itself
            meant = next((f"{kinds[key]} {kind}" for key in sorted(kinds) if key[1] == kind), "")
        if meant:
            text = f"there is no kind {kind} in {item.api_version}; did you mean {meant}?"
            yield item, Issue("kinds/unknown", text, "kind", subject=kind)
