"""Questions about the inventory: targets, their parameters, and references to secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from commodore_py.adapters.jsonnet.inventory import part_of
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Kind

if TYPE_CHECKING:
    from commodore_py.adapters.jsonnet.inventory import TargetViews

    from .base import View


class InventoryPart(Kind):
    """A part of the inventory: of the own target (`self`), of another, or the names of `targets`.

    It is written as in `lib/kapitan.libjsonnet`: quoted parts between slashes. Everything in a
    target is `whole/<target>`.
    """

    def ask(self, about: str, view: View) -> str:
        """The digest of the value, or of the names in it."""
        targets = view.targets
        if targets is None:
            return UNKNOWN
        key = f"{view.target} {self.question(about)}"
        return view.once(key, lambda: _answer(about, targets, view))

    def subject(self, about: str) -> str:
        """For people: the path with dots."""
        return unquote(about.removeprefix("self/").replace("/", "."))


class Reference(Kind):
    """The hash of a reference to a secret, by its backend and path."""

    def ask(self, about: str, view: View) -> str:
        """The hash."""
        return view.references.get(about, NOTHING)


INVENTORY = InventoryPart("inventory", "the inventory has changed: {}")
REFERENCE = Reference("reference", "the reference {} has changed")


def _answer(about: str, targets: TargetViews, view: View) -> str:
    whole, _, target = about.partition("/")
    if whole == "whole":
        target = unquote(target)
        if target not in targets.names():
            return NOTHING
        return digests.of_inventory(dict(targets.of(target)), view.roots)
    part = part_of(targets, view.target, about)
    if part is None:
        return NOTHING
    return digests.of_inventory(tuple(part.value) if part.names_only else part.value, view.roots)
