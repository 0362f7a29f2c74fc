"""The identity of a cluster: an application that syncs its catalog, or its UID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import git_urls
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import KubeObject, ObjectId, mapping, mappings, value_in
from commodore_py.manifests.order.applications import KIND, Application, application_of

from .marks import method_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Discovery

_ROOT = "root"


@dataclass(frozen=True, slots=True)
class Synced:
    """An application as it is in the cluster."""

    name: str
    namespace: str
    url: str
    revision: str
    """The commit that was synced last."""
    sync: str
    health: str
    is_automated: bool
    syncs: Application
    """The folders that it syncs."""
    finished: str = ""
    """When its last sync ended."""
    method: str = ""
    """The method of tracking by which another application has marked it, if any."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Marks by which a cluster is identified."""

    uid: str
    """That of the namespace kube-system; empty if it cannot be read."""
    applications: tuple[Synced, ...]
    """Those that sync this catalog."""
    confirmed_by: str
    """`application` or `uid`; empty if nothing says that it is the right cluster."""
    others: frozenset[str] = frozenset()
    """Names of applications that sync something else."""


def identify(
    client: Client,
    kinds: Discovery,
    catalog_urls: Sequence[str],
    *,
    remembered: str,
    trusted: str = "",
) -> Identity:
    """Whose cluster this is; an error if it is another one's.

    A UID that the user trusts counts instead of the one that was remembered.
    """
    namespace = client.readable("/api/v1/namespaces/kube-system")
    uid = str(value_in(namespace, "metadata", "uid") or "")
    applications = tuple(_applications(client, kinds))
    ours = tuple(
        application
        for application in applications
        if any(_same(application.url, url) for url in catalog_urls)
    )
    server = client.access.server
    hint = "name the context of the right cluster with --context"
    expected = trusted or remembered
    if expected and uid and uid != expected:
        again = "" if trusted else f"; if the cluster was built again: --trust-cluster {uid}"
        raise CommodoreError(
            f"this is another cluster: its UID is {uid}, not {expected}",
            where=f"{server}, context {client.access.name}",
            hint=hint + again,
        )
    roots = [application for application in applications if is_root(application.name)]
    if not ours and roots and catalog_urls:
        raise CommodoreError(
            f"this is another cluster: it syncs {roots[0].url}, not {catalog_urls[0]}",
            where=f"{server}, context {client.access.name}",
            hint=hint,
        )
    confirmed = "application" if ours else "uid" if expected and uid else ""
    others = {application.name for application in applications} - {our.name for our in ours}
    return Identity(uid, ours, confirmed, frozenset(others))


def is_root(name: str) -> bool:
    """Return whether an application syncs the applications of a catalog."""
    return name == _ROOT or name.startswith(f"{_ROOT}-")


def _applications(client: Client, kinds: Discovery) -> Iterator[Synced]:
    api = kinds.find(*KIND)
    if api is None:
        return
    items = mappings(client.readable(api.path()).get("items"))
    names = {str(mapping(item.get("metadata")).get("name") or "") for item in items}
    for item in items:
        yield _synced(item, names)


def _synced(application: dict[str, Any], names: Collection[str]) -> Synced:
    metadata, spec, status = (
        mapping(application.get(key)) for key in ("metadata", "spec", "status")
    )
    sync = mapping(status.get("sync"))
    source = mapping(spec.get("source"))
    id_ = ObjectId(*KIND, "", str(metadata.get("name") or ""))
    return Synced(
        str(metadata.get("name") or ""),
        str(metadata.get("namespace") or ""),
        str(source.get("repoURL") or ""),
        _revision(status),
        str(sync.get("status") or ""),
        str(mapping(status.get("health")).get("status") or ""),
        is_automated="automated" in mapping(spec.get("syncPolicy")),
        finished=str(mapping(status.get("operationState")).get("finishedAt") or ""),
        method=method_of(application, names),
        syncs=application_of(KubeObject(id_, application)) or Application(),
    )


def _revision(status: dict[str, Any]) -> str:
    """The commit that was synced last; the one that was compared last may be another one."""
    sync = mapping(status.get("sync"))
    if sync.get("status") != "OutOfSync":
        return str(sync.get("revision") or "")
    synced = mappings(status.get("history"))
    return str(synced[-1].get("revision") or "") if synced else ""


def _same(url: str, other: str) -> bool:
    try:
        return git_urls.dependency_key(url) == git_urls.dependency_key(other)
    except CommodoreError:
        return url == other
