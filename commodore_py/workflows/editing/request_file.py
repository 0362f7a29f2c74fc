"""A file that lists the operations of one edit: `edit-request/v1`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, raise_collected

from .components import requests_of_add, requests_of_remove, requests_of_version
from .requests import Level, Operation, Request, Verb, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config

_WITH_VALUE = ("set", "override")
_WITH_VALUES = ("append", "remove")
_COMPONENTS = ("component add", "component remove", "component version")
_KEYS = frozenset(
    {"op", "path", "value", "values", "constant", "scope", "at", "target", "through-anchor"}
    | {"replace-reference", "url", "version", "as", "repository-path"}
)


def operations_in(config: Config, text: bytes, *, name: str, schema: str) -> list[Operation]:
    """The operations of a request; all mistakes are reported at once."""
    content = yaml.load(text, name=name)
    if not isinstance(content, dict) or content.get("schema") != schema:
        raise CommodoreError(f"not a request: `schema: {schema}` is missing", where=name)
    listed = content.get("operations")
    if not isinstance(listed, list) or not listed:
        raise CommodoreError("`operations` must be a list with one item or more", where=name)
    errors: list[CommodoreError] = []
    found: list[Operation] = []
    for number, one in enumerate(listed, 1):
        try:
            found += _operations(config, one)
        except CommodoreError as error:
            error.where = error.where or f"{name}, operation {number}"
            errors.append(error)
    raise_collected(errors, f"{name} cannot be carried out")
    return found


def _operations(config: Config, one: object) -> Iterator[Operation]:
    if not isinstance(one, dict) or not isinstance(one.get("op"), str):
        raise CommodoreError("an operation is a mapping with `op`")
    unknown = sorted(str(key) for key in one.keys() - _KEYS)
    if unknown:
        raise CommodoreError(f"unknown key {unknown[0]}", hint=f"known: {', '.join(sorted(_KEYS))}")
    path = one.get("path")
    if not isinstance(path, str):
        raise CommodoreError("`path` is missing: a parameter, or the name of an application")
    where = _where(one)
    return (Operation(request, where) for request in _requests(config, one, path))


def _requests(config: Config, one: dict[str, Any], path: str) -> list[Request]:
    verb = one["op"]
    match verb:
        case "component add":
            entry = {key: str(one.get(key, "")) for key in ("url", "version")}
            entry["path"] = str(one.get("repository-path", ""))
            return requests_of_add(config, path, entry, str(one.get("as", "")))
        case "component remove":
            return requests_of_remove(config.paths, path)[0]
        case "component version":
            return requests_of_version(config, path, str(one.get("version", "")))
    if verb not in get_args(Verb):
        known = ", ".join((*get_args(Verb), *_COMPONENTS))
        raise CommodoreError(f"unknown operation {verb}", hint=f"known: {known}")
    return [Request(verb, path, _values(one, verb), constant=bool(one.get("constant")))]


def _values(one: dict[str, Any], verb: str) -> tuple[Any, ...]:
    if verb in _WITH_VALUE:
        if "value" not in one:
            raise CommodoreError(f"`{verb}` needs `value`")
        return (one["value"],)
    if verb in _WITH_VALUES:
        values = one.get("values")
        if not isinstance(values, list) or not values:
            raise CommodoreError(f"`{verb}` needs `values`, a list")
        return tuple(values)
    return ()


def _where(one: dict[str, Any]) -> Where:
    level = one.get("scope", "cluster")
    if level not in get_args(Level):
        raise CommodoreError(f"unknown scope {level}", hint=f"known: {', '.join(get_args(Level))}")
    at = one.get("at")
    return Where(
        level,
        Path(str(at)) if at else None,
        str(one.get("target", "")),
        through_anchors=one.get("through-anchor") is True,
        replace_references=one.get("replace-reference") is True,
    )
