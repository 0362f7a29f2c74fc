"""YAML files as Jsonnet code sees them: values that Jsonnet can hold."""

from __future__ import annotations

from commodore_py.adapters import yaml

from .evaluate import Inexpressible, Json, to_jsonnet


def read_single(content: bytes, *, name: str) -> Json:
    """The only document of a file; `name` is its path."""
    return _converted(yaml.load(content, name=name), content, name, 0)


def read_all(content: bytes, *, name: str) -> list[Json]:
    """Every document of a file, empty ones as None."""
    return [
        _converted(document, content, name, number)
        for number, document in enumerate(yaml.load_all(content, name=name))
    ]


def _converted(value: object, content: bytes, name: str, number: int) -> Json:
    """A document as Jsonnet holds it; an error has the line of what it cannot hold."""
    try:
        return to_jsonnet(value)
    except Inexpressible as error:
        error.where = f"{name}:{yaml.line_at(content, (number, *error.path))}"
        raise
