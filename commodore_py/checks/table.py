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
    one.NAME: one
    for one in (
        kubernetes_schema,
        custom_resources,
        removed_apis,
        images,
        secrets,
        sync_annotations,
    )
}
CATALOG_CHECKS: dict[str, CatalogCheck] = {
    one.NAME: one for one in (duplicates, kinds, namespaces, references, sync_paths)
}
RUN_CHECKS: dict[str, RunCheck] = {
    one.NAME: one for one in (policy, online, server, parameters_schema)
}


def names() -> tuple[str, ...]:
    """The names of all checks."""
    return tuple(dict.fromkeys((*CATALOG_CHECKS, *OBJECT_CHECKS, *RUN_CHECKS)))
