"""Secret references of the inventory: where they stand, and what they refer to (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import SecretRef
from commodore_py.model.spot import Spot

from .backends import REF_BACKENDS
from .errors import BadReference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import ParameterPath

    Texts: TypeAlias = Mapping[str, tuple[Spot, ...]]
    """Every text, sorted, and all parameters that hold it."""
    Marked: TypeAlias = tuple[tuple[Spot, str], ...]
    """The values of the inventory that hold the beginning of a reference."""

_MARK = "?{"
_REFERENCE = re.compile(r"\?\{([^}]+)\}")


class MissingParameters(CommodoreError):
    """A target does not hold the parameters of the component it is made from."""


def missing_parameters(inventory: Inventory) -> Iterator[MissingParameters]:
    """One error for each instance whose target lacks its component's parameter key."""
    for instance in sorted(inventory.instances, key=lambda instance: instance.name):
        key = instance.component_key
        if key not in inventory.nodes[instance.name].parameters:
            yield MissingParameters(
                f"component {instance.component} has no parameters in target {instance.name}",
                where=f"target {instance.name}, parameters.{key}",
                hint=f"define parameters.{key} in the component's class/defaults.yml",
            )


def references_in(marked: Marked) -> Texts:
    """The references among texts, without their braces."""
    return _by_text(_REFERENCE, marked)


def unclosed_in(marked: Marked) -> Texts:
    """Texts from the beginning of a reference to the end of a value that has no brace."""
    kinds = "|".join(map(re.escape, REF_BACKENDS))
    return _by_text(re.compile(rf"\?\{{((?:{kinds})\b[^}}]*)\Z"), marked)


def _by_text(pattern: re.Pattern[str], marked: Marked) -> Texts:
    spots: dict[str, list[Spot]] = {}
    for spot, text in marked:
        for found in pattern.findall(text):
            spots.setdefault(found, []).append(spot)
    return {text: tuple(spots[text]) for text in sorted(spots)}


def find_marked(inventory: Inventory) -> Marked:
    """Look through the inventory.

    A component's parameters count as its instances see them; everything that belongs to no
    component counts as the bootstrap target sees it.
    """
    component_keys = {instance.component_key for instance in inventory.instances}
    bootstrap = inventory.bootstrap
    searched: list[tuple[str, str, object]] = [
        (bootstrap.name, key, value)
        for key, value in bootstrap.parameters.items()
        if key not in component_keys
    ]
    for instance in sorted(inventory.instances, key=lambda instance: instance.name):
        key = instance.component_key
        value = inventory.nodes[instance.name].parameters.get(key)
        searched.append((instance.name, key, value))
    return tuple(
        marked for target, key, value in searched for marked in _look(target, (key,), value)
    )


def _look(target: str, path: ParameterPath, value: object) -> Iterator[tuple[Spot, str]]:
    match value:
        case str():
            if _MARK in value:
                yield Spot(target, path), value
        case Mapping():
            for key, below in value.items():
                yield from _look(target, (*path, key), below)
        case list() | tuple():
            for index, below in enumerate(value):
                yield from _look(target, (*path, f"[{index}]"), below)


def parse_all(texts: Texts) -> tuple[list[SecretRef], list[BadReference]]:
    """Each reference once, and one error for each text that is none."""
    refs: dict[tuple[str, str], SecretRef] = {}
    errors: list[BadReference] = []
    for text, spots in texts.items():
        try:
            ref = parse(text, spots)
        except BadReference as error:
            errors.append(error)
        else:
            refs.setdefault((ref.backend, ref.path), ref)
    return list(refs.values()), errors


def parse(text: str, spots: tuple[Spot, ...]) -> SecretRef:
    """Backend and path of a reference; what follows a second colon is a hash, and ignored."""
    kind, *rest = text.split(":")
    ref = SecretRef(kind, rest[0] if rest else "", spots)
    if kind not in REF_BACKENDS:
        known = ", ".join(f"?{{{name}:...}}" for name in sorted(REF_BACKENDS))
        problem = f"reference ?{{{text}}} is of a type that is not supported"
        raise BadReference.of(problem, ref, hint=f"supported are {known}")
    if not rest:
        hint = f"write ?{{{kind}:<secret>/<key>}}"
        raise BadReference.of(f"reference ?{{{text}}} has no path", ref, hint=hint)
    REF_BACKENDS[kind].check(ref)
    return ref
