"""Results of `commodore catalogue …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping

from .readable import inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.workflows.catalogue import Component

_SHORT = 12


def listed(found: Iterable[Component]) -> dict[str, Any]:
    """All components."""
    return {"schema": "catalogue-list/v1", "components": [_fields(one) for one in found]}


def shown(one: Component, version: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """One component, with the parameters of a version."""
    return {
        "schema": "catalogue-show/v1",
        **_fields(one),
        "shown_version": version or None,
        "parameters": [{"path": path, "value": value} for path, value in _paths(defaults)],
    }


def list_lines(found: Iterable[Component]) -> Iterator[str]:
    """One line for each: name, version, newest version, instances."""
    rows = [
        (
            one.name,
            one.version if one.version in one.versions else one.version[:_SHORT],
            f"newest {one.newer[0]}" if one.newer else "",
            ", ".join(one.instances),
        )
        for one in found
    ]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield escaping.one_line("  ".join((*padded, row[3]))).rstrip()


def show_lines(one: Component, version: str, defaults: Mapping[str, Any]) -> Iterator[str]:
    """What is known, then the parameters with their defaults."""
    known = {
        "component": one.name,
        **one.about,
        "tags": ", ".join(one.tags),
        "requested": one.requested,
        "version": one.version,
        "newer": ", ".join(one.newer),
        "versions": ", ".join(one.versions),
        "instances": ", ".join(one.instances),
        "requires": ", ".join(f"{name} {text}" for name, text in one.requires.items()),
    }
    for name, text in known.items():
        if text:
            yield escaping.one_line(f"{name}: {text}")
    yield f"parameters of {escaping.one_line(version or one.version)}:"
    for key, value in _paths(defaults):
        yield escaping.one_line(f"  {key}: {inline(value)}")


def _paths(value: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, below in value.items():
        if isinstance(below, dict) and below:
            yield from _paths(below, f"{above}{key}.")
        else:
            yield f"{above}{key}", below


def _fields(one: Component) -> dict[str, Any]:
    return {
        "name": one.name,
        "documentation": one.about.get("documentation"),
        "license": one.about.get("license"),
        "icon": one.about.get("icon"),
        "tags": list(one.tags),
        "requested": one.requested or None,
        "version": one.version or None,
        "newer": list(one.newer),
        "versions": list(one.versions),
        "instances": list(one.instances),
        "requires": [{"component": name, "range": text} for name, text in one.requires.items()],
    }
