"""References that older releases understood, anywhere in a file (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.inventory.checks import REMOVED_REFERENCES as REMOVED

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .files import Document

_Path = tuple[object, ...]


def deprecated_parameters(document: Document) -> Iterator[Finding]:
    """Removed references in the values of a file; keys hold none."""
    for path, text in _texts(document.content, (), ()):
        for reference, replacement in REMOVED.items():
            if reference in text:
                yield Finding(
                    "deprecated-parameters/removed-reference",
                    f"{_dotted(path)} uses {reference}",
                    document.file,
                    document.line_of(*path),
                    hint=f"use {replacement}",
                )


def _texts(value: object, path: _Path, inside: tuple[int, ...]) -> Iterator[tuple[_Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif id(value) not in inside:  # an alias may hold itself
        for key, child in _children(value):
            yield from _texts(child, (*path, key), (*inside, id(value)))


def _children(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, dict):
        return ((str(key), child) for key, child in value.items())
    return enumerate(value) if isinstance(value, list) else ()


def _dotted(path: _Path) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
