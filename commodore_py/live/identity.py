"""Whether a cluster is the one of a catalog: by an application that syncs it, or its UID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import git_urls
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError
from commodore_py.live.access.answers import mapping, mappings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Discovery

_APPLICATION = ("argoproj.io", "Application")
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


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known about a cluster."""

    uid: str
    """That of the namespace kube-system; empty if it cannot be read."""
    applications: tuple[Synced, ...]
    """Those that sync this catalog."""
    confirmed_by: str
    """`application` or `uid`; empty if nothing says that it is the right cluster."""


def identify(
    client: Client, kinds: Discovery, catalog_urls: Sequence[str], remembered: str
) -> Identity:
    """Whose cluster this is; an error if it is another one's."""
    uid = _uid(client)
    found = tuple(_applications(client, kinds))
    ours = tuple(one for one in found if any(_same(one.url, url) for url in catalog_urls))
    server = client.access.server
    hint = "name the context of the right cluster with --context"
    if remembered and uid and uid != remembered:
        raise CommodoreError(
            f"this is another cluster: its UID is {uid}, the one known here is {remembered}",
            where=f"{server}, context {client.access.name}",
            hint=hint,
        )
    roots = [one for one in found if is_root(one.name)]
    if not ours and roots and catalog_urls:
        raise CommodoreError(
            f"this is another cluster: it syncs {roots[0].url}, not {catalog_urls[0]}",
            where=f"{server}, context {client.access.name}",
            hint=hint,
        )
    confirmed = "application" if ours else "uid" if remembered and uid else ""
    return Identity(uid, ours, confirmed)


def is_root(name: str) -> bool:
    """Whether an application syncs the applications of a catalog."""
    return name == _ROOT or name.startswith(f"{_ROOT}-")


def _uid(client: Client) -> str:
    try:
        answer = client.get("/api/v1/namespaces/kube-system")
    except HttpError as error:
        if not error.status:
            raise
        return ""
    return str(mapping(mapping(answer).get("metadata")).get("uid") or "")


def _applications(client: Client, kinds: Discovery) -> Iterator[Synced]:
    api = kinds.find(*_APPLICATION)
    if api is None:
        return
    try:
        answer = client.get(api.path())
    except HttpError as error:
        if not error.status:
            raise
        return
    for one in mappings(mapping(answer).get("items")):
        yield _synced(one)


def _synced(one: dict[str, Any]) -> Synced:
    metadata, spec, status = (mapping(one.get(key)) for key in ("metadata", "spec", "status"))
    sync = mapping(status.get("sync"))
    source = mapping(spec.get("source"))
    return Synced(
        str(metadata.get("name") or ""),
        str(metadata.get("namespace") or ""),
        str(source.get("repoURL") or ""),
        str(sync.get("revision") or ""),
        str(sync.get("status") or ""),
        str(mapping(status.get("health")).get("status") or ""),
        is_automated="automated" in mapping(spec.get("syncPolicy")),
    )


def _same(url: str, other: str) -> bool:
    try:
        return git_urls.dependency_key(url) == git_urls.dependency_key(other)
    except CommodoreError:
        return url == other
