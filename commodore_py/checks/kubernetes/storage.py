"""Volumes and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items, mapping
from commodore_py.manifests import quantities

from .issues import each, fields_of, missing, spec_of, twice, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue


def volume_issues(content: Content) -> Iterator[Issue]:
    """A volume has a size, and no other capacity."""
    if "capacity" in spec_of(content):
        capacity = mapping(spec_of(content)["capacity"])
        yield from _size("spec.capacity", capacity)
        for name in capacity.keys() - {"storage"}:
            yield wrong(f"spec.capacity.{name}", "a volume has no other capacity than storage")


def claim_issues(content: Content) -> Iterator[Issue]:
    """A claim requests a size."""
    yield from _requested("spec", spec_of(content))


def template_issues(content: Content) -> Iterator[Issue]:
    """Templates of claims have a name, too."""
    for number, one in each(spec_of(content).get("volumeClaimTemplates")):
        field = f"spec.volumeClaimTemplates[{number}]"
        if not mapping(one.get("metadata")).get("name"):
            yield missing(f"{field}.metadata", "name")
        yield from _requested(f"{field}.spec", mapping(one.get("spec")))


def node_issues(content: Content) -> Iterator[Issue]:
    """A driver is listed once, and so is a key of its topology."""
    drivers = spec_of(content).get("drivers")
    yield from twice("spec.drivers", fields_of(drivers, "name"), "driver")
    for number, one in each(drivers):
        keys = items(one.get("topologyKeys"))
        yield from twice(f"spec.drivers[{number}].topologyKeys", keys, "key")


def _requested(field: str, spec: Mapping[str, Any]) -> Iterator[Issue]:
    resources = mapping(spec.get("resources"))
    if "requests" in resources:
        yield from _size(f"{field}.resources.requests", mapping(resources["requests"]))


def _size(field: str, sizes: Mapping[str, Any]) -> Iterator[Issue]:
    if "storage" not in sizes:
        yield missing(field, "storage")
    else:
        size = quantities.parse(sizes["storage"] or 0)
        if size is not None and size <= 0:
            yield wrong(f"{field}.storage", "it must be more than 0")
