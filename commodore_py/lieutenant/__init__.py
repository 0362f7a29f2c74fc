"""What is known about clusters: from Lieutenant's API, a folder of facts, or the last run."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .described import is_plain_name
from .urls import facts_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.config import Config
    from commodore_py.model.catalog import BuildRecord
    from commodore_py.model.cluster import Cluster

    from .auth.tokens import TokenSource
    from .client import Server
    from .described import Described
    from .facts import FactsFolder

__all__ = [
    "cluster_ids",
    "facts_folder",
    "fetch_token",
    "knock",
    "list_clusters",
    "load_cluster",
    "log_in",
    "log_out",
    "report",
    "send_report",
]

log = logging.getLogger(__name__)

_HOW_TO_GIVE_A_URL = (
    "set --api-url or COMMODORE_API_URL to a Lieutenant API, or to a folder of cluster facts like"
    " ./facts; `commodore demo` makes one to play with"
)


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
        return _source(replace(config, may_log_in=False)).ids()
    except CommodoreError:
        return []


def knock(config: Config) -> None:
    """Raise if no server answers; what it says to a request without a token does not count."""
    from . import client  # noqa: PLC0415 - local runs need no HTTP

    client.knock(config.api_url, config.request_timeout)


def report(config: Config, record: BuildRecord) -> None:
    """Tell the API, or the folder of facts, how a catalog was compiled and pushed."""
    from .reporting import report_body  # noqa: PLC0415 - local runs need no HTTP

    send_report(config, record.cluster, report_body(record))


def send_report(config: Config, cluster_id: str, body: Mapping[str, Any]) -> None:
    """The same with what is to be told already in the API's words."""
    with _while(f"reporting the compile of cluster {cluster_id}"):
        _source(config).report(cluster_id, body)


def log_in(config: Config, *, device: bool = False) -> str:
    """Have a good token kept for the API, by a login if need be; on another device if wanted.

    Without an API URL nothing is kept, and the login needs settings of its own.
    """
    with _while("logging in"):
        if config.api_url:
            _insist_on_an_api(config.api_url)
        return replace(_tokens(config), device=device, must_keep=True).token()


def fetch_token(config: Config, *, device: bool = False) -> str:
    """A good token for the API, by a login if need be."""
    with _while("getting a token"):
        _insist_on_an_api(config.api_url)
        return replace(_tokens(config), device=device).token()


def log_out(config: Config) -> bool:
    """Forget the token kept for the API; False when there was none."""
    with _while("logging out"):
        _insist_on_an_api(config.api_url)
        return _tokens(config).forget()


def _kept(config: Config, cluster_id: str) -> Cluster:
    from .local import cluster_in  # noqa: PLC0415 - brings in yaml, slow to import

    return cluster_in(
        config.paths,
        cluster_id,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
    )


def _asked_for(config: Config, cluster_id: str) -> Cluster:
    from .parse import cluster_of, tenant_of  # noqa: PLC0415 - local runs need no HTTP

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
        raise CommodoreError("no API URL", hint=_HOW_TO_GIVE_A_URL)
    folder = facts_folder(config.api_url)
    if folder is not None:
        from .facts import FactsFolder  # noqa: PLC0415 - brings in yaml, slow to import

        return FactsFolder(folder)
    from .auth.tokens import NoToken  # noqa: PLC0415
    from .client import Server  # noqa: PLC0415 - local runs need no HTTP

    # Asked for anew each time: at the end of a long compile the first token may have expired.
    tokens = _tokens(config)
    token = tokens.token() if config.may_log_in else tokens.at_hand()
    if not token:
        raise NoToken.for_api(config.api_url)
    return Server(config.api_url, token, config.request_timeout)


def _tokens(config: Config) -> TokenSource:
    from .auth.tokens import TokenSource  # noqa: PLC0415 - local runs need no HTTP

    return TokenSource(
        config.api_url,
        config.api_token,
        client_id=config.oidc_client,
        discovery_url=config.oidc_discovery_url,
        listen=config.oidc_listen,
        login_timeout=config.login_timeout,
        request_timeout=config.request_timeout,
        strict=config.strict,
    )


def _insist_on_an_api(api_url: str) -> None:
    """Whoever names no API, or one that needs no token, has nothing to log in to."""
    if not api_url:
        raise CommodoreError("no API URL", hint=_HOW_TO_GIVE_A_URL)
    if facts_folder(api_url) is not None:
        raise CommodoreError(
            "a folder of cluster facts needs no token",
            where=api_url,
            hint="just use it; to log in, give the URL of a Lieutenant API with --api-url",
        )


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
