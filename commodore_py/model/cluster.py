"""A cluster before anything is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


NOT_TENANTS = ("components", "defaults", "global", "params")
"""Folders of classes that are ours."""


@dataclass(frozen=True, slots=True)
class RepositoryRef:
    """A Git repository and the revision wanted of it; no revision means its default branch."""

    url: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster with its tenant, as the API or a facts folder describes them."""

    id: str
    display_name: str
    tenant: str
    tenant_display_name: str
    catalog_url: str
    global_repo: RepositoryRef
    tenant_repo: RepositoryRef
    facts: Mapping[str, Any] = field(default_factory=dict)
    dynamic_facts: Mapping[str, Any] = field(default_factory=dict)
    placeholder: Mapping[str, Any] | None = None
    """Of a cluster that no API knows: the parameters that a global configuration would add."""

    def parameters(self) -> dict[str, Any]:
        """The content of `inventory/classes/params/cluster.yml`."""
        parameters = {
            "cluster": {
                "catalog_url": self.catalog_url,
                "display_name": self.display_name,
                "name": self.id,
                "tenant": self.tenant,
                "tenant_display_name": self.tenant_display_name,
            },
            "dynamic_facts": dict(self.dynamic_facts),
            "facts": dict(self.facts),
        }
        if self.placeholder is not None:
            del parameters["dynamic_facts"]  # it never reported any
            parameters |= self.placeholder
        return {"parameters": parameters}
