"""The cache of a cluster through everything that may happen to a connection or to rights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from commodore_py.live.access.discovery import discover
from commodore_py.live.reading import ClusterObjects, Selection, read_objects
from commodore_py.manifests.objects import ObjectId
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Kind, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.servers.kubernetes import Cluster

ONLY = frozenset({("", "ConfigMap"), ("example.com", "Thing")})
CONFIGMAPS = "/configmaps"


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        yield cluster


def _client(server: Cluster, tmp_path: Path, **user: object) -> Client:
    file = tmp_path / "kubeconfig"
    file.write_text(kubernetes.kubeconfig_of(server.url, **user))
    return Client(kubeconfig.find(str(file), variables={}, home=Path("/nowhere")), timeout=10)


def _read(server: Cluster, tmp_path: Path, settings: Selection | None = None) -> ClusterObjects:
    client = _client(server, tmp_path)
    return read_objects(client, settings or Selection(), discover(client))


def _put(server: Cluster, name: str, namespace: str = "shop", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    metadata = {"name": name, "namespace": namespace, **more}
    return server.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


def _id(name: str, namespace: str = "shop") -> ObjectId:
    return ObjectId("", "ConfigMap", namespace, name)


def test_expired_pages_restart_list(server: Cluster, tmp_path: Path) -> None:
    for number in range(5):
        _put(server, f"it-{number}")
    expired: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if "continue=" in path and "configmaps" in path and len(expired) < 2:
            expired.append(path)
            _put(server, "it-0")  # changed meanwhile
            return Refusal(410, "Expired", "the token is too old")
        return None

    server.before = before
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("commodore_py.live.reading._PAGE", "2")
        cache = _read(server, tmp_path, Selection(kinds=ONLY))

    assert [one.id.name for one in cache.objects.all()] == [f"it-{number}" for number in range(5)]
    unpaged = [path for _, path in server.requests if path.split("?")[0].endswith(CONFIGMAPS)]
    assert "limit=" not in unpaged[-1]


def test_forbidden_kind_is_unseen(server: Cluster, tmp_path: Path) -> None:
    _put(server, "it")
    server.allowed = lambda verb, _, resource: (verb, resource) != ("list", "configmaps")
    cache = _read(server, tmp_path)

    assert cache.get(_id("it")) is None
    assert "403" in cache.why_unseen("", "ConfigMap", "shop")
    assert cache.why_unseen("", "Secret", "shop") == ""
    assert [str(one) for one in cache.unseen] == ["ConfigMap"]


def test_silent_api_group_does_not_affect_others(server: Cluster, tmp_path: Path) -> None:
    server.kinds.append(Kind("example.com", "v1", "Thing", "things"))
    server.silent.add("example.com/v1")
    _put(server, "it")
    cache = _read(server, tmp_path, Selection(kinds=ONLY))

    assert cache.get(_id("it")) is not None
    assert "does not answer" in cache.why_unseen("example.com", "Thing", "shop")
    assert cache.why_unseen("other.com", "Thing") == ""


def test_busy_api_server_is_retried(server: Cluster, tmp_path: Path) -> None:
    _put(server, "it")
    refused: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if CONFIGMAPS in path and len(refused) < 3:
            refused.append(path)
            return Refusal(429, "TooManyRequests", "busy", headers={"Retry-After": "0"})
        return None

    server.before = before
    cache = _read(server, tmp_path, Selection(kinds=ONLY))

    assert len(refused) == 3
    assert cache.get(_id("it")) is not None


def test_object_served_by_two_groups_is_listed_once(server: Cluster, tmp_path: Path) -> None:
    server.kinds.append(Kind("extensions", "v1beta1", "Deployment", "deployments"))
    for version in ("apps/v1", "extensions/v1beta1"):
        metadata = {"name": "web", "namespace": "shop", "uid": "1"}
        server.put({"apiVersion": version, "kind": "Deployment", "metadata": metadata})
    cache = _read(server, tmp_path)

    (found,) = [one for one in cache.objects.all() if one.id.kind == "Deployment"]
    assert found.id == ObjectId("apps", "Deployment", "shop", "web")
    assert len(cache.objects.copies(found)) == 2


def test_refused_token_file_is_read_again(server: Cluster, tmp_path: Path) -> None:
    _put(server, "it")
    token = tmp_path / "token"
    token.write_text("first")
    client = _client(server, tmp_path, tokenFile=str(token))
    kinds = discover(client)
    token.write_text("second")
    refused: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if CONFIGMAPS in path and not refused:
            refused.append(path)
            return Refusal(401, "Unauthorized", "the token has ended")
        return None

    server.before = before

    assert read_objects(client, Selection(kinds=ONLY), kinds).get(_id("it")) is not None
    assert refused


def test_only_selected_namespaces_are_read(server: Cluster, tmp_path: Path) -> None:
    for namespace in ("shop", "bank", "other"):
        _put(server, "it", namespace)

    cache = _read(server, tmp_path, Selection(kinds=ONLY, namespaces=("shop", "bank")))

    assert [one.id for one in cache.objects.all()] == [_id("it", "bank"), _id("it")]
