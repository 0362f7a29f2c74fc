"""Where secret references stand in the inventory: pure, and every place is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model import Instance, Inventory

_REFERENCE = re.compile(r"\?\{([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """The text between the braces, and where it stands."""

    text: str
    place: str


class MissingParameters(CommodoreError):
    """A target does not hold the parameters of the component it is made from."""

    @classmethod
    def of(cls, instance: Instance) -> MissingParameters:
        """Name the component, the target and the key that somebody has to define."""
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


def occurrences(inventory: Inventory) -> Iterator[Occurrence]:
    """Every reference in the places that are searched.

    A component's parameters count as its instances see them; everything that belongs to no
    component counts as the bootstrap target sees it.
    """
    for value, place in _searched(inventory):
        yield from references_in(value, place)


def occurrences_in_keys(inventory: Inventory) -> Iterator[Occurrence]:
    """The references in names of parameters, where they are no references."""
    for value, place in _searched(inventory):
        yield from _references_in_keys(value, place)


def _searched(inventory: Inventory) -> Iterator[tuple[object, str]]:
    component_keys = {instance.component_key for instance in inventory.instances}
    bootstrap = inventory.bootstrap
    for key, value in bootstrap.parameters.items():
        if key not in component_keys:
            yield value, f"target {bootstrap.name}, parameters.{key}"
    for instance in _sorted(inventory):
        key = instance.component_key
        value = inventory.nodes[instance.name].parameters.get(key)
        yield value, f"target {instance.name}, parameters.{key}"


def references_in(value: object, place: str) -> Iterator[Occurrence]:
    """The references in a value and everything below it; keys of mappings are no place for one."""
    match value:
        case str():
            for found in _REFERENCE.finditer(value):
                yield Occurrence(found[1], place)
        case Mapping():
            for key, below in value.items():
                yield from references_in(below, f"{place}.{key}")
        case list() | tuple():
            for index, below in enumerate(value):
                yield from references_in(below, f"{place}[{index}]")


def _references_in_keys(value: object, place: str) -> Iterator[Occurrence]:
    match value:
        case Mapping():
            for key, below in value.items():
                yield from references_in(key, place)
                yield from _references_in_keys(below, f"{place}.{key}")
        case list() | tuple():
            for index, below in enumerate(value):
                yield from _references_in_keys(below, f"{place}[{index}]")


def _sorted(inventory: Inventory) -> list[Instance]:
    return sorted(inventory.instances, key=lambda instance: instance.name)
