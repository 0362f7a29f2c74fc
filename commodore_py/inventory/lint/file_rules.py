"""Rules that see one file: components, packages, removed references (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.inventory.checks import removed_references
from commodore_py.inventory.paths import dotted
from commodore_py.model.names import did_you_mean, kind_of

from .files import documents_in, finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.problem import Problem

    from .files import Document, Tree

_KEYS = ("url", "version", "path")
_TEXTS = ("url", "version")
_SHAPE = "write it as url, version and, where needed, path"


def components(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Invalid components."""
    for document in documents_in(trees):
        yield from _entries(document, "components", "component")


def packages(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Invalid packages."""
    for document in documents_in(trees):
        yield from _entries(document, "packages", "package")


def deprecated_parameters(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Removed references in values; keys hold none."""
    for document in documents_in(trees):
        for path, reference, replacement in removed_references(document.content):
            yield finding(
                "deprecated-parameters/removed-reference",
                f"{dotted(path)} uses {reference}",
                document.file,
                document.line_of(*path),
                hint=f"use {replacement}",
            )


def _entries(document: Document, key: str, kind: str) -> Iterator[Problem]:
    if "parameters" not in document.content:
        return
    parameters = document.content["parameters"]
    if not isinstance(parameters, dict):
        yield _wrong_shape(document, key, ("parameters",), parameters, "parameters")
        return
    if key not in parameters:
        return
    entries = parameters[key]
    if not isinstance(entries, dict):
        yield _wrong_shape(document, key, ("parameters", key), entries, f"parameters.{key}")
        return
    for name, entry in entries.items():
        place = ("parameters", key, name)
        if isinstance(entry, dict):
            yield from _entry(document, key, place, f"{kind} {name}", entry)
        else:
            yield _wrong_shape(document, key, place, entry, f"{kind} {name}", hint=_SHAPE)


def _entry(
    document: Document, key: str, place: tuple[object, ...], what: str, entry: dict[Any, Any]
) -> Iterator[Problem]:
    if "version" not in entry:
        yield finding(
            f"{key}/missing-version",
            f"{what} has no version",
            document.file,
            document.line_of(*place),
        )
    unknown = [name for name in entry if name not in _KEYS]
    if unknown:
        yield finding(
            f"{key}/unknown-key",
            f"{what} has unknown keys: {', '.join(map(str, unknown))}",
            document.file,
            document.line_of(*place, unknown[0]),
            hint=did_you_mean(str(unknown[0]), _KEYS, listed="it takes"),
        )
    for name in _TEXTS:
        if name in entry and not isinstance(entry[name], str):
            yield finding(
                f"{key}/wrong-type",
                f"{what}: {name} is {kind_of(entry[name])}, not a string",
                document.file,
                document.line_of(*place, name),
                hint="" if isinstance(entry[name], (list, dict)) else "put it in quotes",
            )


def _wrong_shape(
    document: Document,
    key: str,
    place: tuple[object, ...],
    value: object,
    what: str,
    *,
    hint: str = "",
) -> Problem:
    return finding(
        f"{key}/wrong-shape",
        f"{what} is {kind_of(value)}, not a mapping",
        document.file,
        document.line_of(*place),
        hint=hint,
    )
