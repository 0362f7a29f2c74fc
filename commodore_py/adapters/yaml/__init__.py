"""YAML: read with places for messages, written byte for byte as the catalog expects it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.reading import content_of

from .emitter import emit, emit_documents
from .loader import ManifestLoader, line_at, load, load_all

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ManifestLoader", "dump", "dump_documents", "line_at", "load", "load_all", "load_file"]


def dump(value: object) -> bytes:
    """One document, as every file that Commodore itself writes looks."""
    return emit(value).encode()


def dump_documents(value: object) -> bytes:
    """A list as one document an element, anything else as a single document."""
    return emit_documents(value if isinstance(value, list) else [value]).encode()


def load_file(path: Path) -> Any:
    """The single document of a file."""
    return load(content_of(path), name=str(path))
