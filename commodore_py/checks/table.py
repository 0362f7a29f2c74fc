"""All checks, by name and in the order of their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from . import (
    duplicates,
    images,
    kinds,
    namespaces,
    online,
    parameters_schema,
    references,
    secrets,
    server,
    sync_annotations,
    sync_paths,
)
from .policy import check as policy
from .schemas import custom_resources, removed_apis
from .schemas import kubernetes as kubernetes_schema

if TYPE_CHECKING:
    from .base import CatalogCheck, Ended, ObjectCheck, Settings
    from .documents import Documents


class RunCheck(Protocol):
    """Decides itself what it looks at; it may start other processes."""

    NAME: str

    def run(self, documents: Documents, settings: Settings) -> Ended | None:
        """Run it; None if there is nothing to check."""


OBJECT_CHECKS: dict[str, ObjectCheck] = {
    module.NAME: module
    for module in (
        kubernetes_schema,
        custom_resources,
        removed_apis,
        images,
        secrets,
        sync_annotations,
    )
}
CATALOG_CHECKS: dict[str, CatalogCheck] = {
    module.NAME: module for module in (duplicates, kinds, namespaces, references, sync_paths)
}
RUN_CHECKS: dict[str, RunCheck] = {
    module.NAME: module for module in (policy, online, server, parameters_schema)
}


def names() -> tuple[str, ...]:
    """The names of all checks."""
    return tuple(dict.fromkeys((*CATALOG_CHECKS, *OBJECT_CHECKS, *RUN_CHECKS)))
