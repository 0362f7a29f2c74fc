"""The cluster of the last full compile, for `--local`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, UsageError, raise_collected
from commodore_py.model.cluster import Cluster, RepositoryRef

from .api_objects import FieldReader, read_object

if TYPE_CHECKING:
    from commodore_py.config import WorkPaths

_CLUSTER = ("parameters", "cluster")


def cluster_in(
    paths: WorkPaths, cluster_id: str, *, global_revision: str = "", tenant_revision: str = ""
) -> Cluster:
    """The cluster this working directory was compiled for; it must be the requested one.

    Nothing is fetched in local mode, so there are no URLs; revisions only end up in the record.
    """
    for path in (paths.targets / "cluster.yml", paths.params_file):
        if not path.is_file():
            raise CommodoreError(
                "this working directory is not ready for --local: a file is missing",
                where=str(path),
                hint=f"compile {cluster_id} once without --local",
            )
    reader = FieldReader(read_object(paths.params_file, expected="the parameters of the cluster"))
    cluster = _cluster(reader, global_revision, tenant_revision)
    raise_collected(reader.problems, str(paths.params_file))
    if cluster.id != cluster_id:
        raise CommodoreError(
            f"this working directory holds cluster {cluster.id}, not {cluster_id}",
            where=str(paths.params_file),
            hint=f"compile {cluster.id}, or {cluster_id} without --local",
        )
    return cluster


def cluster_id_in(paths: WorkPaths) -> str:
    """The cluster this working directory was compiled for."""
    if not paths.params_file.is_file():
        raise UsageError("no cluster was compiled here", hint="name it with --cluster")
    parameters = read_object(paths.params_file, expected="the parameters of the cluster")
    return FieldReader(parameters).text(*_CLUSTER, "name") or ""


def _cluster(reader: FieldReader, global_revision: str, tenant_revision: str) -> Cluster:
    name, tenant = (
        reader.required(
            *_CLUSTER,
            key,
            missing=f"{'.'.join(_CLUSTER)}.{key} is missing",
            hint="compile without --local to write this file again",
        )
        for key in ("name", "tenant")
    )
    return Cluster(
        id=name,
        display_name=reader.text(*_CLUSTER, "display_name") or name,
        tenant=tenant,
        tenant_display_name=reader.text(*_CLUSTER, "tenant_display_name") or tenant,
        catalog_url=reader.text(*_CLUSTER, "catalog_url"),
        global_repo=RepositoryRef("", global_revision or None),
        tenant_repo=RepositoryRef("", tenant_revision or None),
        facts=reader.mapping("parameters", "facts"),
        dynamic_facts=reader.mapping("parameters", "dynamic_facts"),
    )
