"""Load and list clusters."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError, doing

from . import server
from .api_objects import is_plain_name
from .cluster import cluster_of, tenant_of
from .last_compile import cluster_in
from .source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

    from .api_objects import ApiObject
    from .folder import FactsFolder
    from .server import Server

log = logging.getLogger(__name__)


def invalid_id(cluster_id: str) -> CommodoreError:
    """The error for what cannot be the id of a cluster."""
    hint = "`commodore catalog list` lists the clusters"
    return CommodoreError(f"not a valid cluster id: {cluster_id!r}", hint=hint)


def load_cluster(config: Config, cluster_id: str) -> Cluster:
    """The cluster to compile; in local mode as of the last full compile."""
    if not is_plain_name(cluster_id):
        raise invalid_id(cluster_id)
    with doing(f"loading cluster {cluster_id}"):
        if config.local:
            return _of_last_compile(config, cluster_id)
        with _naming_origin(config):
            source = source_of(config)
            return cluster_from(config, source, source.cluster(cluster_id))


def list_clusters(config: Config, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
    """The unmodified cluster objects of one tenant or of all."""
    with doing("listing clusters"), _naming_origin(config):
        return source_of(config).clusters(tenant=tenant, sort_by=sort_by)


@contextmanager
def _naming_origin(config: Config) -> Iterator[None]:
    """Add to errors where the API URL was set, if the user cannot see it in the command."""
    try:
        yield
    except CommodoreError as error:
        if config.api_url_origin:
            folder = facts_folder(config.api_url)
            where = f": {folder.absolute()}" if folder is not None else ""
            error.add_note(f"the API URL is that of {config.api_url_origin}{where}")
        raise


def cluster_ids(config: Config) -> list[str]:
    """Cluster ids for shell completion; empty if they cannot be read without a login."""
    try:
        return source_of(replace(config, may_log_in=False)).ids()
    except CommodoreError:
        return []


def check_reachable(config: Config) -> None:
    """Raise if the server does not respond; any response counts, as no token is sent."""
    server.check_reachable(config.api_url, config.request_timeout)


def _of_last_compile(config: Config, cluster_id: str) -> Cluster:
    return cluster_in(
        config.paths,
        cluster_id,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
    )


def cluster_from(config: Config, source: Server | FactsFolder, found: ApiObject) -> Cluster:
    """The cluster of an object, and of its tenant's in the same source."""
    tenant_id = tenant_of(found)
    cluster = cluster_of(
        found,
        source.tenant(tenant_id) if tenant_id else None,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
        dynamic_facts=config.dynamic_facts,
    )
    if config.dynamic_facts and "dynamicFacts" in found.fields:
        known = "reports dynamic facts" if found.fields["dynamicFacts"] else "has empty ones"
        log.info("dynamic facts of the command line are ignored: the cluster %s", known)
    return cluster
