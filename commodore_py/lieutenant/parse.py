"""The API's objects, wherever they come from, to a Cluster: every check, all problems at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.errors import raise_collected
from commodore_py.model.cluster import Cluster, RepositoryRef

from .described import Described, Reader

if TYPE_CHECKING:
    from collections.abc import Mapping

_REQUIRED_FACTS = ("distribution", "cloud")
_OF_WHICH_TENANT = "set `tenant` to the id of the cluster's tenant"


def tenant_of(cluster: Described) -> str:
    """The id of a cluster's tenant; empty when the cluster object is wrong about it."""
    reader = Reader(cluster)
    tenant = reader.name("tenant", missing="no tenant", hint=_OF_WHICH_TENANT)
    return "" if reader.problems else tenant


def cluster_of(
    cluster: Described,
    tenant: Described | None,
    *,
    global_revision: str = "",
    tenant_revision: str = "",
    dynamic_facts: Mapping[str, Any] | None = None,
) -> Cluster:
    """The cluster that two objects describe; revisions given here win, facts given here do not.

    Without a tenant object the problems of the cluster object are told: it named no tenant.
    """
    of_cluster, of_tenant = Reader(cluster), Reader(tenant or Described({}, name=""))
    cluster_id, tenant_id = _ids(of_cluster, of_tenant)
    made = Cluster(
        id=cluster_id,
        display_name=of_cluster.text("displayName") or cluster_id,
        tenant=tenant_id,
        tenant_display_name=of_tenant.text("displayName") or tenant_id,
        catalog_url=of_cluster.needed(
            "gitRepo",
            "url",
            missing=f"cluster {cluster_id} has no catalog repository",
            hint="set `gitRepo.url` of the cluster",
        ),
        global_repo=RepositoryRef(
            of_tenant.needed(
                "globalGitRepoURL",
                missing=f"tenant {tenant_id} has no repository of the global configuration",
                hint="set `globalGitRepoURL` of the tenant",
            ),
            global_revision or _revision("globalGitRepoRevision", of_cluster, of_tenant),
        ),
        tenant_repo=RepositoryRef(
            of_tenant.needed(
                "gitRepo",
                "url",
                missing=f"tenant {tenant_id} has no repository of its configuration",
                hint="set `gitRepo.url` of the tenant",
            ),
            # The tenant's `gitRepo.revision` is left alone: Commodore never looks at it, and
            # heeding it would change the catalogs of installations that set it.
            tenant_revision or _revision("tenantGitRepoRevision", of_cluster, of_tenant),
        ),
        facts=_facts(of_cluster, cluster_id),
        dynamic_facts=(
            of_cluster.mapping("dynamicFacts")
            if "dynamicFacts" in of_cluster
            else dynamic_facts or {}
        ),
    )
    problems = [*of_cluster.problems, *(of_tenant.problems if tenant else ())]
    raise_collected(problems, f"what is known about cluster {cluster_id}")
    return made


def _ids(of_cluster: Reader, of_tenant: Reader) -> tuple[str, str]:
    cluster_id = of_cluster.name("id", missing="no id", hint="set `id` to the cluster's id")
    wanted = of_cluster.name(
        "tenant", missing=f"cluster {cluster_id} has no tenant", hint=_OF_WHICH_TENANT
    )
    tenant_id = of_tenant.name("id", missing="no id", hint="set `id` to the tenant's id")
    if wanted and tenant_id and wanted != tenant_id:
        of_tenant.reject(
            f"cluster {cluster_id} belongs to tenant {wanted}, but this is tenant {tenant_id}", "id"
        )
    return cluster_id, tenant_id


def _facts(of_cluster: Reader, cluster_id: str) -> Mapping[str, Any]:
    facts = of_cluster.mapping("facts")
    if not of_cluster.has_rejected("facts"):
        for fact in _REQUIRED_FACTS:
            if not facts.get(fact):
                of_cluster.reject(
                    f"cluster {cluster_id} lacks the fact {fact}",
                    "facts",
                    fact,
                    hint=f"set `facts.{fact}` of the cluster",
                )
    return facts


def _revision(field: str, *readers: Reader) -> str | None:
    """The first object that has the field decides, even when it holds nothing."""
    for reader in readers:
        if field in reader:
            return reader.text(field) or None
    return None
