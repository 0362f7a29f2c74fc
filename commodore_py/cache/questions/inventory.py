"""Questions about the inventory: targets, parameters, references to secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Question

if TYPE_CHECKING:
    from commodore_py.cache.roots import Roots

    from .base import View

_PARAMETERS = "parameters"


class InventoryPart(Question):
    """A part of the inventory: of the own target, of another one, or the names of all.

    It is written as in `lib/kapitan.libjsonnet`: quoted parts between slashes.
    """

    kind = "inventory"

    @classmethod
    def at(cls, *parts: str) -> InventoryPart:
        """The question about a part."""
        return cls("/".join(quote(part, safe="") for part in parts))

    @property
    def parts(self) -> list[str]:
        """The way to it."""
        return [unquote(part) for part in self.about.split("/")]

    def ask(self, view: View) -> bytes:
        """The digest of the value; of a whole target, that of the names of its parameters."""
        key = f"{view.target} {self}"
        known = view.constant.get(key)
        if known is None:
            known = view.constant[key] = self._answer(view)
        return known

    def _answer(self, view: View) -> bytes:
        if view.targets is None:
            return UNKNOWN
        match self.parts:
            case ["all"]:
                return view.values.of(view.targets.names())
            case ["self", *below]:
                return _part_of(view.targets.of(view.target), below, view)
            case ["targets", name, *below] if name in view.targets.names():
                return _part_of(view.targets.of(name), below, view)
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
            case ["all"]:
                return "targets"
        return self.about


def _part_of(target: Mapping[str, Any], below: list[str], view: View) -> bytes:
    match below:
        case []:
            # Code sees names only: the values behind them are questions of their own.
            return view.values.of((tuple(target), tuple(target[_PARAMETERS])))
        case [section] if section in target:
            return view.values.of(target[section])
        case [section, key] if section == _PARAMETERS and key in target[section]:
            return view.values.of(target[section][key])
    return NOTHING


class WholeTarget(Question):
    """Everything that code sees of one target."""

    kind = "target"

    def ask(self, view: View) -> bytes:
        """All of it."""
        if view.targets is None or self.about not in view.targets.names():
            return NOTHING
        return view.values.of(dict(view.targets.of(self.about)))

    def describe(self, _: Roots) -> str:
        """Which target it is."""
        return f"the inventory has changed: all of {self.about}"


class TargetList(Question):
    """The names of all targets."""

    kind = "targets"

    def ask(self, view: View) -> bytes:
        """Their names."""
        return NOTHING if view.targets is None else view.values.of(view.targets.names())

    def describe(self, _: Roots) -> str:
        """There are others now."""
        return "there are other targets"


class NodeValue(Question):
    """A value of the own node as the hierarchy has it, or the keys of one."""

    kind = "value"

    _KEYS = "keys of "

    @classmethod
    def at(cls, way: tuple[object, ...]) -> NodeValue:
        """The question about a value."""
        return cls(".".join(map(str, way)))

    @classmethod
    def keys_at(cls, way: tuple[object, ...]) -> NodeValue:
        """The question about the keys of a mapping."""
        return cls(cls._KEYS + ".".join(map(str, way)))

    def ask(self, view: View) -> bytes:
        """The value, or its keys."""
        way = self.about.removeprefix(self._KEYS)
        value: Any = view.node
        # The name of a parameter may hold dots: there is only one level below.
        for key in filter(None, way.split(".", 1) if way.startswith(f"{_PARAMETERS}.") else [way]):
            if not isinstance(value, Mapping) or key not in value:
                return NOTHING
            value = value[key]
        if not self.about.startswith(self._KEYS):
            return view.values.of(value)
        return view.values.of(tuple(value)) if isinstance(value, Mapping) else NOTHING

    def describe(self, _: Roots) -> str:
        """Which value it is."""
        return f"the inventory has changed: {self.about}"


class Reference(Question):
    """The hash of a reference to a secret, by its backend and path."""

    kind = "reference"

    def ask(self, view: View) -> bytes:
        """Its hash."""
        return view.references.get(self.about, "").encode()

    def describe(self, _: Roots) -> str:
        """Its path."""
        return f"the reference {self.about.partition(':')[2]} has changed"
