"""Values that Jsonnet can hold, and YAML files as its code reads them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError

Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = "tuple[object, ...]"

_KINDS = {
    type(None): "null",
    bool: "a boolean",
    str: "a string",
    list: "an array",
    dict: "an object",
}


class JsonnetError(CommodoreError):
    """An evaluation that failed, or a value that Jsonnet cannot hold."""


class Inexpressible(JsonnetError):
    """A value of ours that Jsonnet cannot hold; `path` leads to it."""

    path: Path = ()

    @classmethod
    def at(cls, path: Path, what: str) -> Inexpressible:
        """Say what it is and where."""
        error = cls(
            f"{what}, which Jsonnet cannot hold",
            where=f"value at {'.'.join(map(str, path))}" if path else "",
            hint="put quotes around it, if a string is meant",
        )
        error.path = path
        return error


def kind_of(value: object) -> str:
    """Name the type of a value in Jsonnet, with its article."""
    return _KINDS.get(type(value), "a number")


def to_jsonnet(value: object, path: Path = ()) -> Json:
    """The value as Jsonnet holds it: every number is a double; what JSON lacks is an error.

    In errors, `path` leads to the value.
    """
    try:
        return _converted(value, path)
    except RecursionError as error:
        raise Inexpressible("nested too deeply for Jsonnet") from error


def read_single(content: bytes, *, name: str) -> Json:
    """The only document of a YAML file; `name` is its path."""
    return _document(yaml.load(content, name=name), content, name, 0)


def read_all(content: bytes, *, name: str) -> list[Json]:
    """Every document of a YAML file, empty ones as None."""
    return [
        _document(document, content, name, number)
        for number, document in enumerate(yaml.load_all(content, name=name))
    ]


def _document(value: object, content: bytes, name: str, number: int) -> Json:
    """A document as Jsonnet holds it; an error has the line of what it cannot hold."""
    try:
        return to_jsonnet(value)
    except Inexpressible as error:
        error.where = f"{name}:{yaml.line_at(content, (number, *error.path))}"
        raise


def _converted(value: object, path: Path) -> Json:
    match value:
        case None | bool():
            return value
        case int() | float():
            return _double(value, path)
        case str():
            return _string(value, path)
        case list() | tuple() | bytes():
            return [_converted(below, (*path, index)) for index, below in enumerate(value)]
        case Mapping():
            return {
                _key(key, path): _converted(below, (*path, key)) for key, below in value.items()
            }
        case _:
            raise Inexpressible.at(path, f"{value} is a {type(value).__name__}")


def _double(value: float, path: Path) -> float:
    # Beyond 64 bits Commodore fails as well, and digits must not be lost silently.
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Inexpressible.at(path, f"{value} has more than 64 bits")
    if not math.isfinite(value):
        raise Inexpressible.at(path, f"{value} is not a finite number")
    return float(value)


def _string(value: str, path: Path) -> str:
    # gojsonnet cuts a string at a null character, and dies of half a surrogate pair.
    if "\0" in value:
        raise Inexpressible.at(path, f"{value!r} holds a null character")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Inexpressible.at(path, f"{value!r} holds half a surrogate pair") from error
    return value


def _key(key: object, path: Path) -> str:
    if not isinstance(key, str):
        raise Inexpressible.at((*path, key), f"the key {key} is not a string")
    return _string(key, (*path, key))
