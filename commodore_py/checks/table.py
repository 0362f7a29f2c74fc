"""All checks, by name and in the order of their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from .base import Check, RunCheck

CHECKS: dict[str, Check] = {
    module.NAME: module
    for module in (
        duplicates,
        kinds,
        namespaces,
        references,
        sync_paths,
        kubernetes_schema,
        custom_resources,
        removed_apis,
        images,
        secrets,
        sync_annotations,
    )
}
RUN_CHECKS: dict[str, RunCheck] = {
    module.NAME: module for module in (policy, online, server, parameters_schema)
}


def names() -> tuple[str, ...]:
    """The names of all checks."""
    return tuple(dict.fromkeys((*CHECKS, *RUN_CHECKS)))
