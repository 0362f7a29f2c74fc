"""Placeholder clusters, with which a component or a package is compiled by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.lib import STAND_INS
from commodore_py.model.cluster import Cluster, RepositoryRef

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NOWHERE = RepositoryRef("")
_ARGOCD = "argocd.libjsonnet"


def cluster_for_component(component: str, instance: str) -> Cluster:
    """What a component sees when it is compiled by itself."""
    return _cluster(
        {"cloud": "cloudscale", "distribution": "test-distribution", "region": "rma1"},
        {
            "argocd": {"namespace": "test"},
            "components": {
                component: {"url": f"https://example.com/{component}.git", "version": "master"}
            },
            "kapitan": {"namespace": "test", "vars": {"target": instance}},
        },
    )


def cluster_for_package() -> Cluster:
    """What a package sees when it is compiled by itself."""
    names = ("cloud", "distribution", "region")
    vault = {
        "VAULT_ADDR": "https://vault.syn.example.com",
        "VAULT_CAPATH": "/etc/ssl/certs/",
        "VAULT_SKIP_VERIFY": "false",
        "auth": "token",
        "engine": "kv-v2",
        "mount": "clusters/kv",
    }
    return _cluster(
        {name: f"x-fake-{name}" for name in names},
        {
            "argocd": {"namespace": "syn"},
            "kapitan": {"secrets": {"vaultkv": vault}},
        },
    )


def write_argocd_stub(libraries: Path) -> None:
    """Let imports of the Argo CD library find something, unless the real one is there."""
    place = libraries / _ARGOCD
    if not place.is_symlink():
        write_if_changed(place, (STAND_INS / "lib" / _ARGOCD).read_bytes())


def _cluster(facts: Mapping[str, Any], more: Mapping[str, Any]) -> Cluster:
    return Cluster(
        id="c-green-test-1234",
        display_name="Test Cluster 1234",
        tenant="t-silent-test-1234",
        tenant_display_name="Test Tenant 1234",
        catalog_url="ssh://git@git.example.com/org/repo.git",
        global_repo=_NOWHERE,
        tenant_repo=_NOWHERE,
        facts=facts,
        placeholder=more,
    )
