"""What is known about clusters: from Lieutenant's API, a folder of facts, or the last run."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .client import Server
from .described import is_plain_name
from .parse import cluster_of, tenant_of
from .reporting import report_body
from .tokens import NoToken, usable_token
from .urls import facts_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.model import BuildRecord, Cluster

    from .described import Described
    from .facts import FactsFolder

__all__ = ["cluster_ids", "list_clusters", "load_cluster", "report", "report_body"]

log = logging.getLogger(__name__)


def load_cluster(config: Config, cluster_id: str) -> Cluster:
    """The cluster to compile; in local mode as the last full compile knew it."""
    if not is_plain_name(cluster_id):
        raise CommodoreError(f"not the id of a cluster: {cluster_id!r}")
    with _while(f"reading what is known about cluster {cluster_id}"):
        return _kept(config, cluster_id) if config.local else _asked_for(config, cluster_id)


def list_clusters(config: Config, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
    """The cluster objects as they are, of one tenant or of all."""
    with _while("listing clusters"):
        return _source(config).clusters(tenant=tenant, sort_by=sort_by)


def cluster_ids(config: Config) -> list[str]:
    """What a cluster argument may be completed to; nothing when nobody can be asked."""
    try:
        return _source(config).ids()
    except CommodoreError:
        return []


def report(config: Config, record: BuildRecord) -> None:
    """Tell the API, or the folder of facts, how a catalog was compiled and pushed."""
    with _while(f"reporting the compile of cluster {record.cluster}"):
        _source(config).report(record.cluster, report_body(record))


def _kept(config: Config, cluster_id: str) -> Cluster:
    from .local import cluster_in  # noqa: PLC0415 - brings in yaml, slow to import

    return cluster_in(
        config.paths,
        cluster_id,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
    )


def _asked_for(config: Config, cluster_id: str) -> Cluster:
    source = _source(config)
    found = source.cluster(cluster_id)
    tenant_id = tenant_of(found)
    cluster = cluster_of(
        found,
        source.tenant(tenant_id) if tenant_id else None,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
        dynamic_facts=config.dynamic_facts,
    )
    _tell_ignored(config, found)
    return cluster


def _source(config: Config) -> Server | FactsFolder:
    if not config.api_url:
        raise CommodoreError(
            "no API URL",
            hint="set --api-url or COMMODORE_API_URL to a Lieutenant API, or to a folder of"
            " cluster facts like ./facts; `commodore demo` makes one to play with",
        )
    folder = facts_folder(config.api_url)
    if folder is not None:
        from .facts import FactsFolder  # noqa: PLC0415 - brings in yaml, slow to import

        return FactsFolder(folder)
    token = usable_token(config.api_token, now=time.time())
    if not token:
        raise NoToken.for_api(config.api_url)
    return Server(config.api_url, token, config.request_timeout)


def _tell_ignored(config: Config, found: Described) -> None:
    if config.dynamic_facts and "dynamicFacts" in found.fields:
        known = "reports dynamic facts" if found.fields["dynamicFacts"] else "has empty ones"
        log.info("dynamic facts of the command line are ignored: the cluster %s", known)


@contextmanager
def _while(doing: str) -> Iterator[None]:
    try:
        yield
    except CommodoreError as error:
        error.add_note(f"while {doing}")
        raise
