"""A catalog with one application, and how to reach the cluster that is for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .plan_catalogs import application
from .servers import kubernetes

if TYPE_CHECKING:
    from tests.support.servers.kubernetes import Cluster


def catalog_for(server: Cluster, *objects: dict[str, Any]) -> tuple[str, ...]:
    """Write a catalog of the application `shop`; the options for commands that read a cluster."""
    files = {"apps/shop": [application("shop", "manifests/shop")], "shop/all": list(objects)}
    for name, contents in files.items():
        file = Path(f"catalog/manifests/{name}.yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("---\n".join(json.dumps(one) + "\n" for one in contents))
    Path("kubeconfig").write_text(kubernetes.kubeconfig_of(server.url))
    return "--catalog", "catalog", "--kubeconfig", "kubeconfig", "--app", "shop"
