"""A Cluster from the objects of the API: checks them and reports all problems at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.errors import raise_collected
from commodore_py.model.cluster import NOT_TENANTS, Cluster, RepositoryRef

from .api_objects import ApiObject, FieldReader

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUIRED_FACTS = ("distribution", "cloud")
# Folders of classes that are not a tenant's.
_OF_WHICH_TENANT = "set `tenant` to the id of the cluster's tenant"


def tenant_of(cluster: ApiObject) -> str:
    """The id of a cluster's tenant; empty if the cluster object has no valid one."""
    reader = FieldReader(cluster)
    tenant = reader.name("tenant", missing="no tenant", hint=_OF_WHICH_TENANT)
    return "" if reader.problems else tenant


def cluster_of(
    cluster: ApiObject,
    tenant: ApiObject | None,
    *,
    global_revision: str = "",
    tenant_revision: str = "",
    dynamic_facts: Mapping[str, Any] | None = None,
) -> Cluster:
    """The cluster of two objects; revisions given here override theirs, dynamic facts do not.

    Without a tenant object, as the cluster has no valid tenant, this raises that problem.
    """
    of_cluster, of_tenant = FieldReader(cluster), FieldReader(tenant or ApiObject({}, name=""))
    cluster_id, tenant_id = _ids(of_cluster, of_tenant)
    made = Cluster(
        id=cluster_id,
        display_name=of_cluster.text("displayName") or cluster_id,
        tenant=tenant_id,
        tenant_display_name=of_tenant.text("displayName") or tenant_id,
        catalog_url=of_cluster.required(
            "gitRepo",
            "url",
            missing=f"cluster {cluster_id} has no catalog repository",
            hint="set `gitRepo.url` of the cluster",
        ),
        global_repo=RepositoryRef(
            of_tenant.required(
                "globalGitRepoURL",
                missing=f"tenant {tenant_id} has no repository of the global configuration",
                hint="set `globalGitRepoURL` of the tenant",
            ),
            global_revision or _revision("globalGitRepoRevision", of_cluster, of_tenant),
        ),
        tenant_repo=RepositoryRef(
            of_tenant.required(
                "gitRepo",
                "url",
                missing=f"tenant {tenant_id} has no repository of its configuration",
                hint="set `gitRepo.url` of the tenant",
            ),
            # The tenant's `gitRepo.revision` is ignored as in Commodore: using it would change
            # the catalogs of installations that set it.
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
    raise_collected(problems, f"invalid facts of cluster {cluster_id}")
    return made


def _ids(of_cluster: FieldReader, of_tenant: FieldReader) -> tuple[str, str]:
    cluster_id = of_cluster.name("id", missing="no id", hint="set `id` to the cluster's id")
    tenant_of_cluster = of_cluster.name(
        "tenant", missing=f"cluster {cluster_id} has no tenant", hint=_OF_WHICH_TENANT
    )
    tenant_id = of_tenant.name("id", missing="no id", hint="set `id` to the tenant's id")
    if tenant_id.lower() in NOT_TENANTS:
        of_tenant.reject(
            f"{tenant_id} cannot be the id of a tenant: inventory/classes/{tenant_id} holds"
            " something else",
            "id",
            hint=f"choose one that is not one of {', '.join(NOT_TENANTS)}",
        )
    if tenant_of_cluster and tenant_id and tenant_of_cluster != tenant_id:
        of_tenant.reject(
            f"cluster {cluster_id} belongs to tenant {tenant_of_cluster},"
            f" but this is tenant {tenant_id}",
            "id",
        )
    return cluster_id, tenant_id


def _facts(of_cluster: FieldReader, cluster_id: str) -> Mapping[str, Any]:
    facts = of_cluster.mapping("facts")
    if not of_cluster.has_rejected("facts"):
        for fact in REQUIRED_FACTS:
            if not facts.get(fact):
                of_cluster.reject(
                    f"cluster {cluster_id} has no fact {fact}",
                    "facts",
                    fact,
                    hint=f"set `facts.{fact}` of the cluster",
                )
    return facts


def _revision(field: str, *readers: FieldReader) -> str | None:
    """The value of the first object that has the field, even if it is empty."""
    for reader in readers:
        if field in reader:
            return reader.text(field) or None
    return None
