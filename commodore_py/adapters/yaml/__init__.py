"""YAML: read with places for messages, written byte for byte as the catalog expects it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.reading import content_of

from . import plain as yaml_plain
from .emitter import emit, emit_documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType


def dump(value: object) -> bytes:
    """One document, as every file that Commodore itself writes looks."""
    return emit(value).encode()


def dump_documents(value: object) -> bytes:
    """A list as one document an element, anything else as a single document."""
    return emit_documents(value if isinstance(value, list) else [value]).encode()


def load(text: bytes | str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    plain = yaml_plain.load(text)
    return _reading().load(text, name=name) if plain is yaml_plain.UNUSUAL else plain


def load_all(text: bytes | str, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    documents: list[Any] = yaml_plain.load_all(text)
    return _reading().load_all(text, name=name) if documents is yaml_plain.UNUSUAL else documents


def load_file(path: Path) -> Any:
    """The single document of a file."""
    return load(content_of(path), name=str(path))


def lines_of(text: bytes | str, *, name: str) -> dict[tuple[str, ...], int]:
    """The line on which each mapping key of a document stands, by its path of keys."""
    lines: dict[tuple[str, ...], int] = _reading().lines_of(text, name=name)
    return lines


def line_at(text: bytes | str, path: Sequence[object]) -> int:
    """The line of a value of a readable text, by document number, then keys and indices.

    As far as the path can be followed: a key that is not a string may be written in many ways.
    """
    line: int = _reading().line_at(text, path)
    return line


def _reading() -> ModuleType:
    # PyYAML takes a while to import, and where little has changed nothing is read.
    from . import reading as yaml_reading

    return yaml_reading
