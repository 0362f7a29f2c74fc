"""Filter definitions: found in an instance's parameters, checked, and turned into values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.names import value_shown
from commodore_py.model.spot import Spot

from .filters import FILTERS, JSONNET
from .output import BadOutput, inside

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import PlaceOf
    from commodore_py.model.tree import Tree

_PATH = ("commodore", "postprocess", "filters")
_UNNAMED = "<unknown>"
_REQUIRED = ("type", "path", "filter")


class NoDefinitions(CommodoreError):
    """Where the list of filters should be, there is something else."""

    @classmethod
    def at(cls, spot: Spot, what: str, place_of: PlaceOf) -> NoDefinitions:
        """Say what it is, and what it should be."""
        return cls(
            f"{spot.parameter} is {what}",
            where=spot.seen_from(place_of),
            hint="write a list of mappings with type, path and filter",
        )


@dataclass(frozen=True, slots=True)
class Definition:
    """A filter to run."""

    name: str
    spot: Spot
    kind: str
    folder: str
    args: Mapping[str, Any]
    enabled: bool
    source: Path


@dataclass(frozen=True, slots=True)
class Invalid:
    """A definition to skip, and why."""

    name: str
    spot: Spot
    reason: str
    disabled: bool


def definitions_of(
    node: Node, tree: Tree, *, root: Path, checkout: Path, place_of: PlaceOf
) -> list[Definition | Invalid]:
    """The filters that a node requests, in its order; `tree` is the output before all of them."""
    definitions: list[Definition | Invalid] = []
    for number, raw in enumerate(_raw_definitions(node, place_of)):
        spot = Spot(node.name, (*_PATH, f"[{number}]"))
        try:
            definitions.append(_parsed(raw, spot, tree, root=root, checkout=checkout))
        except _Misfit as misfit:
            fields = raw if isinstance(raw, Mapping) else {}
            name = _text(fields.get("filter", _UNNAMED))
            disabled = fields.get("enabled") is False
            definitions.append(Invalid(name, spot, str(misfit), disabled=disabled))
    return definitions


def _raw_definitions(node: Node, place_of: PlaceOf) -> list[object]:
    value: object = node.parameters
    for depth, key in enumerate(_PATH):
        if not isinstance(value, Mapping):
            raise NoDefinitions.at(Spot(node.name, _PATH[:depth]), "not a mapping", place_of)
        value = value.get(key)
        if value is None:
            return []
    if not isinstance(value, list):
        raise NoDefinitions.at(Spot(node.name, _PATH), "not a list", place_of)
    return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else value_shown(value)


class _Misfit(Exception):
    """Why a definition cannot be followed."""


def _parsed(raw: object, spot: Spot, tree: Tree, *, root: Path, checkout: Path) -> Definition:
    if not isinstance(raw, Mapping):
        raise _Misfit("it is not a mapping")
    missing = [key for key in _REQUIRED if key not in raw]
    if missing:
        raise _Misfit(f"missing keys: {', '.join(missing)}")
    enabled = raw.get("enabled", True)
    if not isinstance(enabled, bool):
        raise _Misfit("enabled is neither true nor false")
    name, folder, args = raw["filter"], raw["path"], raw.get("filterargs")
    if not isinstance(name, str) or not isinstance(folder, str):
        raise _Misfit("path and filter must be strings")
    source = checkout / name
    match raw["type"]:
        case "builtin":
            kind = name
            _check_builtin(name, folder, args, tree, root)
        case "jsonnet":
            kind = JSONNET
            if not source.is_file():
                raise _Misfit(f"there is no file {source}")
        case other:
            raise _Misfit(f"unknown type {_text(other)}")
    if args is not None and not isinstance(args, Mapping):
        raise _Misfit("filterargs is not a mapping")
    return Definition(name, spot, kind, folder, args or {}, enabled, source)


def _check_builtin(name: str, folder: str, args: object, tree: Tree, root: Path) -> None:
    if name == JSONNET or name not in FILTERS:
        raise _Misfit(f"there is no builtin filter {name}")
    if args is None:
        raise _Misfit("missing key: filterargs")
    try:
        path = inside(root, folder)
    except BadOutput:
        return  # reported when the filter runs: writing outside is an error, not a misfit
    if path not in tree.folders():
        raise _Misfit(f"there is no folder {folder}")
