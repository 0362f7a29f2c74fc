"""Where secret references stand in the inventory: pure, with every location."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from commodore_py.errors import CommodoreError
from commodore_py.model.spot import Spot

from .backends import REF_BACKENDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from commodore_py.model.inventory import Instance, Inventory
    from commodore_py.model.spot import ParameterPath

_MARK = "?{"
_REFERENCE = re.compile(r"\?\{([^}]+)\}")

_Found: TypeAlias = "list[tuple[ParameterPath, str]]"


class Occurrence(NamedTuple):
    """The text between the braces, and where it stands."""

    text: str
    spot: Spot


class MissingParameters(CommodoreError):
    """A target does not hold the parameters of the component it is made from."""

    @classmethod
    def of(cls, instance: Instance) -> MissingParameters:
        """Name the component, the target and the key that has to be defined."""
        key = instance.component_key
        return cls(
            f"component {instance.component} has no parameters in target {instance.name}",
            where=f"target {instance.name}, parameters.{key}",
            hint=f"define parameters.{key} in the component's class/defaults.yml",
        )


def missing_parameters(inventory: Inventory) -> Iterator[MissingParameters]:
    """One error for each instance whose target lacks its component's parameter key."""
    for instance in _sorted(inventory):
        if instance.component_key not in inventory.nodes[instance.name].parameters:
            yield MissingParameters.of(instance)


class MarkedTexts(NamedTuple):
    """Every text of the inventory that holds the beginning of a reference, and where."""

    values: tuple[tuple[Spot, str], ...]
    keys: tuple[tuple[Spot, str], ...]
    """Names of parameters; the spot is the mapping that holds them."""

    def occurrences(self) -> Iterator[Occurrence]:
        """The references in values."""
        return _each(references_in, self.values)

    def unclosed(self) -> Iterator[Occurrence]:
        """What begins as a reference in a value, and goes on to its end without a brace."""
        kinds = "|".join(map(re.escape, REF_BACKENDS))
        return _each(re.compile(rf"\?\{{((?:{kinds})\b[^}}]*)\Z").findall, self.values)

    def in_keys(self) -> Iterator[Occurrence]:
        """The references in names of parameters, which are not replaced."""
        return _each(references_in, self.keys)


def find_marked(inventory: Inventory) -> MarkedTexts:
    """Look through the inventory.

    A component's parameters count as its instances see them; everything that belongs to no
    component counts as the bootstrap target sees it.
    """
    values: list[tuple[Spot, str]] = []
    keys: list[tuple[Spot, str]] = []
    for target, key, value in _searched(inventory):
        in_values: _Found = []
        in_keys: _Found = []
        _look(value, (key,), in_values, in_keys)
        values += ((Spot(target, path), text) for path, text in in_values)
        keys += ((Spot(target, path), text) for path, text in in_keys)
    return MarkedTexts(tuple(values), tuple(keys))


def references_in(text: str) -> list[str]:
    """What stands between the braces of each reference."""
    return _REFERENCE.findall(text)


def _each(
    find: Callable[[str], Iterable[str]], texts: Iterable[tuple[Spot, str]]
) -> Iterator[Occurrence]:
    return (Occurrence(found, spot) for spot, text in texts for found in find(text))


def _searched(inventory: Inventory) -> Iterator[tuple[str, str, object]]:
    component_keys = {instance.component_key for instance in inventory.instances}
    bootstrap = inventory.bootstrap
    for key, value in bootstrap.parameters.items():
        if key not in component_keys:
            yield bootstrap.name, key, value
    for instance in _sorted(inventory):
        key = instance.component_key
        yield instance.name, key, inventory.nodes[instance.name].parameters.get(key)


def _look(value: object, path: ParameterPath, values: _Found, keys: _Found) -> None:
    match value:
        case str():
            if _MARK in value:
                values.append((path, value))
        case Mapping():
            for key, below in value.items():
                if isinstance(key, str) and _MARK in key:
                    keys.append((path, key))
                _look(below, (*path, key), values, keys)
        case list() | tuple():
            for index, below in enumerate(value):
                _look(below, (*path, f"[{index}]"), values, keys)


def _sorted(inventory: Inventory) -> list[Instance]:
    return sorted(inventory.instances, key=lambda instance: instance.name)
