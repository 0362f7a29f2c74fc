"""YAML for component code: Kapitan's natives, which give and take JSON text."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.jsonnet.values import read_all
from commodore_py.adapters.yaml.emitter import Style, emit, emit_documents
from commodore_py.errors import CommodoreError

from .files import argument, decoded, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.values import Json

_STYLE = Style(indent_sequences=False, multiline="plain")
_KEYS = (str, int, float, bool, type(None))
_SUFFIXES = (".yml", ".yaml")
_REMEMBERED = 64
_values = functools.lru_cache(maxsize=_REMEMBERED)(read_all)


def yaml_load(files: Files, name: object) -> str:
    """The only document of a file as JSON text."""
    return _json(*_yaml_file(files, name), stream=False)


def yaml_load_stream(files: Files, name: object) -> str:
    """All documents of a file as JSON text."""
    return _json(*_yaml_file(files, name), stream=True)


def yaml_load_all(files: Files, name: object) -> list[Json]:
    """All documents of a file, as filters get them: values, empty documents as null."""
    path = find(files, name)
    return _values(files.read(path) or b"", name=path)


def yaml_dump(obj: object) -> str:
    """JSON text as a YAML document."""
    return emit(parsed(obj), _STYLE)


def yaml_dump_stream(obj: object) -> str:
    """A list, given as JSON text, as YAML documents."""
    documents = parsed(obj)
    if not isinstance(documents, list | dict | str):
        raise CommodoreError(f"documents come as an array, not as {json.dumps(documents)}")
    # Kapitan walks over whatever it gets: an object is its keys, a text its characters.
    return emit_documents(list(documents), _STYLE)


def parsed(text: object, *, what: str = "the argument") -> Any:  # noqa: ANN401 - JSON, from the door
    """The value of an argument that is JSON text."""
    try:
        return json.loads(argument(text, what=what))
    except (ValueError, RecursionError) as error:
        raise CommodoreError(
            f"{what} is not JSON: {error}", hint="a string must be given as JSON, in quotes"
        ) from error


def _yaml_file(files: Files, name: object) -> tuple[str, str]:
    """The text of a file, and its path."""
    path = find(files, name, "YAML file")
    if not path.endswith(_SUFFIXES):
        raise CommodoreError(
            "the name of a YAML file ends in .yml or .yaml",
            where=path,
            hint="std.parseYaml(importstr ...) reads any file",
        )
    return decoded(files.read(path) or b"", path), path


# Code often reads a file for each of its objects.
@functools.lru_cache(maxsize=2 * _REMEMBERED)
def _json(text: str, path: str, *, stream: bool) -> str:
    value = (yaml.load_all if stream else yaml.load)(text, name=path)
    try:
        return json.dumps(value)
    except RecursionError as error:
        raise CommodoreError("nested too deeply to be written as JSON", where=path) from error
    except (TypeError, ValueError) as error:
        for below, misfit in _misfits(value, () if stream else (0,)):
            raise CommodoreError(
                misfit,
                where=f"{path}:{yaml.line_at(text, below)}",
                hint="put quotes around it, if a string is meant",
            ) from error
        raise CommodoreError(f"cannot be written as JSON: {error}", where=path) from error


def _misfits(value: object, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], str]]:
    """Values that JSON cannot hold, with the way to each."""
    match value:
        case dict():
            for key, below in value.items():
                if not isinstance(key, _KEYS):
                    yield (*path, key), f"the key {key} is a {type(key).__name__}, no JSON"
                yield from _misfits(below, (*path, key))
        case list() | tuple():
            for index, below in enumerate(value):
                yield from _misfits(below, (*path, index))
        case str() | int() | float() | bool() | None:
            return
        case _:
            yield path, f"{value} is a {type(value).__name__}, which JSON cannot hold"
