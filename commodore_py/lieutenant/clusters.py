"""Load and list clusters, and report their compiles."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py import COMPATIBLE_WITH, __version__
from commodore_py.adapters.http import HttpError
from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError, doing

from .api_objects import ApiObject, is_plain_name
from .auth.session import NoToken, token_for, token_without_login
from .cluster import cluster_of, tenant_of
from .folder import FactsFolder
from .last_compile import cluster_in
from .server import REJECTED, Server
from .server import check_reachable as check_server_reachable
from .urls import no_api_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.config import Config
    from commodore_py.model.catalog import BuildRecord, DependencyRecord
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.spot import ParameterPath, PlaceOf

log = logging.getLogger(__name__)

# Both versions, in a form that tools comparing Commodore versions can parse.
_VERSION = f"{COMPATIBLE_WITH}+commodore-py.{__version__}"


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
            return cluster_in(
                config.paths,
                cluster_id,
                global_revision=config.global_revision,
                tenant_revision=config.tenant_revision,
            )
        with _naming_origin(config):
            source = source_of(config)
            return cluster_from(config, source, source.cluster(cluster_id))


def load_clusters(
    config: Config,
    names: Sequence[str] = (),
    *,
    tenant: str = "",
    listed: Mapping[str, Any] | None = None,
) -> dict[str, Cluster | None]:
    """Several clusters by their ids, or all, from one list; what cannot be loaded is None.

    The list is requested, unless it is given as `listed`.
    """
    with doing("listing clusters"), _naming_origin(config):
        source = source_of(config)
        # Of files, only those that are named are read.
        if listed is None and not (names and isinstance(source, FactsFolder)):
            try:
                listed = by_id(source.clusters(tenant=tenant))
            except CommodoreError:
                if not names:
                    raise
    listed = listed or {}
    loaded: dict[str, Cluster | None] = {}
    for name in dict.fromkeys(names or sorted(listed)):
        loaded[name] = None
        with suppress(CommodoreError):  # reported by the compile of this cluster
            if isinstance(source, FactsFolder):
                loaded[name] = cluster_from(config, source, source.cluster(name))
            elif name in listed:
                api_object = ApiObject(listed[name], name=f"cluster {name}")
                loaded[name] = cluster_from(config, source, api_object)
    return loaded


def with_token(config: Config) -> Config:
    """The settings with the token of the last login, for machines where no one has logged in."""
    if facts_folder(config.api_url) is not None:
        return config
    return replace(config, api_token=token_for(config))


def list_clusters(config: Config, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
    """The unmodified cluster objects of one tenant or of all."""
    with doing("listing clusters"), _naming_origin(config):
        return source_of(config).clusters(tenant=tenant, sort_by=sort_by)


def by_id(clusters: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Cluster objects by their ids."""
    return {str(cluster.get("id")): cluster for cluster in clusters}


@contextmanager
def _naming_origin(config: Config) -> Iterator[None]:
    """Add to errors where the API URL and a rejected token come from."""
    try:
        yield
    except CommodoreError as error:
        if config.api_url_origin:
            folder = facts_folder(config.api_url)
            where = f": {folder.absolute()}" if folder is not None else ""
            error.add_note(f"the API URL is that of {config.api_url_origin}{where}")
        if isinstance(error, HttpError) and error.status in REJECTED:
            given = "--api-token" if config.api_token else "the last login"
            error.add_note(f"the token is that of {config.api_token_origin or given}")
        raise


def cluster_ids(config: Config) -> list[str]:
    """Cluster ids for shell completion; empty if they cannot be read without a login."""
    try:
        return source_of(replace(config, may_log_in=False)).ids()
    except CommodoreError:
        return []


def check_reachable(config: Config) -> None:
    """Raise if the server does not respond; any response counts, as no token is sent."""
    check_server_reachable(config.api_url, config.request_timeout)


def cluster_from(config: Config, source: Server | FactsFolder, api_object: ApiObject) -> Cluster:
    """The cluster of an object, and of its tenant's in the same source."""
    tenant_id = tenant_of(api_object)
    try:
        tenant = source.tenant(tenant_id) if tenant_id else None
    except CommodoreError as error:
        if isinstance(source, FactsFolder) and not error.where.startswith(
            f"{source.root}/tenants/"
        ):
            error.where = api_object.place("tenant")
        raise
    cluster = cluster_of(
        api_object,
        tenant,
        global_revision=config.global_revision,
        tenant_revision=config.tenant_revision,
        dynamic_facts=config.dynamic_facts,
    )
    if config.dynamic_facts and "dynamicFacts" in api_object.fields:
        state = "reports dynamic facts" if api_object.fields["dynamicFacts"] else "has empty ones"
        log.info("dynamic facts of the command line are ignored: the cluster %s", state)
    return cluster


def facts_places(config: Config, cluster: Cluster) -> PlaceOf:
    """Find the lines of repositories and revisions in a folder of facts."""

    def place_of(_: str, path: ParameterPath) -> str:
        folder = None if config.local else facts_folder(config.api_url)
        overridden = {"global": config.global_revision, "tenant": config.tenant_revision}
        kind, field = map(str, path)
        if field == "version" and overridden[kind]:
            return f"--{kind}-repo-revision-override"
        if folder is None:
            return ""
        facts = FactsFolder(folder)
        try:
            objects = [facts.cluster(cluster.id), facts.tenant(cluster.tenant)]
        except CommodoreError:  # a cluster that is not written yet
            return ""
        if field == "version":
            named = [
                api_object
                for api_object in objects
                if f"{kind}GitRepoRevision" in api_object.fields
            ]
            return named[0].place(f"{kind}GitRepoRevision") if named else ""
        if kind == "catalog":
            return objects[0].place("gitRepo", "url")
        return objects[1].place(
            *(("globalGitRepoURL",) if kind == "global" else ("gitRepo", "url"))
        )

    return place_of


def source_of(config: Config) -> Server | FactsFolder:
    """The source that the API URL names, authenticated if it is a server."""
    if not config.api_url:
        raise no_api_url(config.paths.root)
    folder = facts_folder(config.api_url)
    if folder is not None:
        return FactsFolder(folder)

    # Requested for each use: at the end of a long compile the first token may have expired.
    token = token_for(config) if config.may_log_in else token_without_login(config)
    if not token:
        raise NoToken.for_api(config.api_url)
    return Server(config.api_url, token, config.request_timeout)


def send_report(config: Config, cluster_id: str, body: Mapping[str, Any]) -> None:
    """Send the report of a compile to the API, or write it to the folder of facts."""
    with doing(f"reporting the compile of cluster {cluster_id}"):
        source_of(config).report(cluster_id, body)


def report_body(record: BuildRecord) -> dict[str, Any]:
    """The report in the API's format."""
    return {
        "commodoreBuildInfo": {"version": _VERSION, "gitVersion": f"v{_VERSION}"},
        "global": _version_of(record.global_config),
        "instances": _by_name(record.instances),
        "lastCompile": record.time.isoformat(timespec="milliseconds"),
        "packages": _by_name(record.packages),
        "tenant": _version_of(record.tenant_config),
    }


def _by_name(records: Iterable[DependencyRecord]) -> dict[str, dict[str, str]]:
    return {record.name: _version_of(record) for record in sorted(records, key=lambda r: r.name)}


def _version_of(record: DependencyRecord) -> dict[str, str]:
    fields = {"gitSha": record.commit, "url": record.url, "version": record.version}
    if record.path:
        fields["path"] = record.path
    if record.component:
        fields["component"] = record.component
    return fields
