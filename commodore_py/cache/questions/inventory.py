"""Questions about the inventory: targets and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from commodore_py.adapters.jsonnet.inventory import is_split
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.cache.roots import Roots

    from .base import View

_PARAMETERS = "parameters"


class InventoryPart(Question):
    """A part of the inventory: of the own target (`self`), of another, or the names of `all`.

    It is written as in `lib/kapitan.libjsonnet`: quoted parts between slashes. Everything in a
    target is `whole/<target>`.
    """

    kind = "inventory"

    @classmethod
    def at(cls, *parts: object) -> InventoryPart:
        """The question about a part."""
        return cls("/".join(quote(str(part), safe="") for part in parts))

    @property
    def parts(self) -> list[str]:
        """The path to it."""
        return [unquote(part) for part in self.about.split("/")]

    def ask(self, view: View) -> str:
        """The digest of the value; of a target, that of the names of its parameters."""
        return view.once(f"{view.target} {self}", lambda: self._answer(view))

    def _answer(self, view: View) -> str:
        if view.targets is None:
            return UNKNOWN
        match self.parts:
            case ["all"]:
                return digests.of_names(view.targets.names())
            case ["self", *below]:
                return _part_of(view.targets.of(view.target), below, view.roots)
            case ["targets", name, *below] if name in view.targets.names():
                return _part_of(view.targets.of(name), below, view.roots)
            case ["whole", name] if name in view.targets.names():
                return digests.of_inventory(dict(view.targets.of(name)), view.roots)
        return NOTHING

    def describe(self, _: Roots) -> str:
        """Which part it is."""
        return f"the inventory has changed: {self._named()}"

    def _named(self) -> str:
        match self.parts:
            case ["self"]:
                return "names of parameters"
            case ["self", *below]:
                return ".".join(below)
            case ["targets", target, *below]:
                return ".".join(below) + f" of {target}" if below else f"names of {target}"
            case ["whole", target]:
                return f"all of {target}"
        return "targets"


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


class Reference(Question):
    """The hash of a reference to a secret, by its backend and path."""

    kind = "reference"

    def ask(self, view: View) -> str:
        """Its hash."""
        return view.references.get(self.about, NOTHING)

    def describe(self, _: Roots) -> str:
        """Its path."""
        return f"the reference {self.about.partition(':')[2]} has changed"
