"""Questions about the inventory: targets, their parameters, and references to secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from commodore_py.adapters.jsonnet.inventory import part_of
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.jsonnet.inventory import TargetViews
    from commodore_py.cache.roots import Roots

    from .base import View


class InventoryPart(Kind):
    """A part of the inventory: of the own target (`self`), of another, or the names of `all`.

    It is written as in `lib/kapitan.libjsonnet`: quoted parts between slashes. Everything in a
    target is `whole/<target>`.
    """

    def ask(self, about: str, view: View) -> str:
        """The digest of the value; of a target, that of the names of its parameters."""
        targets = view.targets
        if targets is None:
            return UNKNOWN
        parts = [unquote(part) for part in about.split("/")]
        key = f"{view.target} {self.question(about)}"
        return view.once(key, lambda: _answer(parts, targets, view))

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


def _answer(parts: list[str], targets: TargetViews, view: View) -> str:
    match parts:
        case ["all"]:
            return digests.of_names(targets.names())
        case ["self", *below]:
            return _part_of(targets.of(view.target), below, view.roots)
        case ["targets", name, *below] if name in targets.names():
            return _part_of(targets.of(name), below, view.roots)
        case ["whole", name] if name in targets.names():
            return digests.of_inventory(dict(targets.of(name)), view.roots)
    return NOTHING


def _part_of(target: Mapping[str, Any], below: list[str], roots: Roots) -> str:
    part = part_of(target, below)
    if part is None:
        return NOTHING
    value = tuple(part.value) if part.names_only else part.value
    if not below:
        value = value, tuple(target.get("parameters", ()))
    return digests.of_inventory(value, roots)
