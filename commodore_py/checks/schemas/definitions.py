"""Definitions of custom resources in a catalog."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import mapping, mappings, value_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.checks.base import Item

_API_VERSION, _KIND = "apiextensions.k8s.io/v1", "CustomResourceDefinition"


@dataclass(frozen=True, slots=True)
class Definition:
    """The kind that an object defines."""

    item: Item
    of: tuple[str, str]
    """Group and kind."""
    scope: str
    schemas: Mapping[str, str]
    """The schema of each version, as JSON."""
    served: tuple[str, ...]
    """The versions that are served."""


def definitions_in(items: Iterable[Item]) -> Iterator[Definition]:
    """All definitions among some objects."""
    for item in items:
        if (item.api_version, item.id.kind) != (_API_VERSION, _KIND):
            continue
        spec = mapping(item.content.get("spec"))
        versions = {str(version.get("name")): version for version in mappings(spec.get("versions"))}
        yield Definition(
            item,
            (str(spec.get("group")), str(value_in(spec, "names", "kind"))),
            str(spec.get("scope")),
            {
                name: json.dumps(value_in(version, "schema", "openAPIV3Schema"), sort_keys=True)
                for name, version in versions.items()
            },
            tuple(name for name, version in versions.items() if version.get("served") is True),
        )
