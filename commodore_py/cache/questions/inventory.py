"""Questions about the inventory: targets, their parameters, and references to secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from commodore_py.adapters.jsonnet.inventory import is_split
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.jsonnet.inventory import TargetViews
    from commodore_py.cache.roots import Roots

    from .base import View

_PARAMETERS = "parameters"


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
    match below:
        case []:
            # Code sees names only: the values behind them are questions of their own.
            names = tuple(target), tuple(target.get(_PARAMETERS, ()))
            return digests.of_inventory(names, roots)
        case [section] if section in target:
            return digests.of_inventory(target[section], roots)
        case [section, key] if section == _PARAMETERS and key in target[section]:
            value = target[section][key]
            return digests.of_inventory(tuple(value) if is_split(key, value) else value, roots)
        case [section, key, name] if section == _PARAMETERS and key in target[section]:
            value = target[section][key]
            if is_split(key, value) and name in value:
                return digests.of_inventory(value[name], roots)
    return NOTHING
