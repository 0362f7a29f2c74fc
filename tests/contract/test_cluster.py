"""A cache of a cluster: the same against our small server and against a real one."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client, Writer
from commodore_py.live.access.discovery import discover
from commodore_py.live.reading import Selection, read_objects
from commodore_py.manifests.objects import ObjectId
from tests.real import servers
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.live.reading import ClusterObjects


PATIENCE = 20.0


def small(_: pytest.TempPathFactory) -> Iterator[str]:
    with kubernetes.serve() as cluster:
        yield kubernetes.kubeconfig_of(cluster.url)


def real(folders: pytest.TempPathFactory) -> Iterator[str]:
    with servers.kubernetes(folders.mktemp("kubernetes")) as file:
        yield file.read_text()


@pytest.fixture(scope="module", params=[small, real], ids=["small", "real"])
def access(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[kubeconfig.Access]:
    for text in request.param(tmp_path_factory):
        file = tmp_path_factory.mktemp("access") / "config"
        file.write_text(text)
        yield kubeconfig.find(str(file), variables={}, home=Path("/nowhere"))


@pytest.fixture
def client(access: kubeconfig.Access) -> Iterator[Writer]:
    made = Writer(access, timeout=10)
    yield made
    made.close()


@pytest.fixture
def namespace(client: Writer) -> str:
    name = f"test-{uuid.uuid4().hex[:8]}"
    client.apply(
        f"/api/v1/namespaces/{name}",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
        manager="test",
    )
    return name


def configmap(client: Writer, namespace: str, name: str, **more: object) -> None:
    content = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, **more},
        "data": {"a": uuid.uuid4().hex},
    }
    client.apply(
        f"/api/v1/namespaces/{namespace}/configmaps/{name}", content, manager="test", force=True
    )


def _read(client: Client, settings: Selection | None = None) -> ClusterObjects:
    return read_objects(client, settings or Selection(), discover(client))


def id_of(namespace: str, name: str, kind: str = "ConfigMap", group: str = "") -> ObjectId:
    return ObjectId(group, kind, namespace, name)


def eventually(check: Callable[[], bool], patience: float = PATIENCE) -> bool:
    until = time.monotonic() + patience
    while not check() and time.monotonic() < until:
        time.sleep(0.02)
    return check()


def test_kinds_are_known_with_their_scope(client: Writer) -> None:
    kinds = discover(client)

    deployment, namespaces = kinds.find("apps", "Deployment"), kinds.find("", "Namespace")
    assert deployment is not None
    assert deployment.path("shop", "web") == "/apis/apps/v1/namespaces/shop/deployments/web"
    assert namespaces is not None
    assert namespaces.path("", "shop") == "/api/v1/namespaces/shop"
    assert kinds.find("example.com", "Missing") is None


def test_cache_holds_objects_of_cluster(client: Writer, namespace: str) -> None:
    configmap(client, namespace, "one", labels={"tier": "front"})
    configmap(client, namespace, "two")
    cache = _read(client)

    assert {id_of(namespace, "one"), id_of("", namespace, "Namespace")} <= {
        one.id for one in cache.objects.all()
    }
    record = cache.get(id_of(namespace, "one"))
    assert record is not None
    assert record.labels == {"tier": "front"}


def test_pages_make_one_list(client: Writer, namespace: str) -> None:
    for number in range(7):
        configmap(client, namespace, f"many-{number}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("commodore_py.live.reading._PAGE", "3")
        cache = _read(client, Selection(namespaces=(namespace,)))

    found = [one.id.name for one in cache.objects.all() if one.id.name.startswith("many-")]
    assert found == [f"many-{number}" for number in range(7)]


def test_delete_of_changed_object_conflicts(client: Writer, namespace: str) -> None:
    configmap(client, namespace, "it")
    cache = _read(client)
    record = cache.get(id_of(namespace, "it"))
    assert record is not None
    configmap(client, namespace, "it")

    with pytest.raises(Exception, match="409") as refused:
        client.delete(
            f"/api/v1/namespaces/{namespace}/configmaps/it",
            uid=record.uid,
            version=record.version,
        )

    assert getattr(refused.value, "status", 0) == 409


def test_cache_keeps_requested_objects_whole(client: Writer, namespace: str) -> None:
    configmap(client, namespace, "it")
    configmap(client, namespace, "other")
    settings = Selection(
        whole=lambda _, kind: kind == "ConfigMap", keeps=lambda id_: id_.name == "it"
    )
    cache = _read(client, settings)

    record, other = (cache.get(id_of(namespace, name)) for name in ("it", "other"))
    assert record is not None
    assert record.manifest is not None
    assert (record.manifest["kind"], record.manifest["apiVersion"]) == ("ConfigMap", "v1")
    assert other is not None
    assert other.manifest is None


def test_cache_keeps_only_metadata_by_default(client: Writer, namespace: str) -> None:
    configmap(client, namespace, "it")
    cache = _read(client)

    record = cache.get(id_of(namespace, "it"))

    assert record is not None
    assert record.manifest is None


def test_owners_are_followed_by_uid_and_inferred_where_kubernetes_names_none(
    client: Writer, namespace: str
) -> None:
    configmap(client, namespace, "owner")
    owner = client.get(f"/api/v1/namespaces/{namespace}/configmaps/owner")["metadata"]["uid"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner}
    configmap(client, namespace, "owned", ownerReferences=[reference])
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"ports": [{"port": 80}], "clusterIP": "None"},
    }
    client.apply(f"/api/v1/namespaces/{namespace}/services/web", service, manager="test")
    endpoints = {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": "web", "namespace": namespace},
    }
    client.apply(f"/api/v1/namespaces/{namespace}/endpoints/web", endpoints, manager="test")
    cache = _read(client)

    owned = {one.id for records in cache.objects.children.values() for one in records}
    assert owned >= {id_of(namespace, "owned"), id_of(namespace, "web", "Endpoints")}
    top = [one.id for one in cache.objects.top_level()]
    assert id_of(namespace, "owned") not in top
    assert id_of(namespace, "web", "Endpoints") not in top


def test_kind_filter_limits_cache(client: Writer, namespace: str) -> None:
    configmap(client, namespace, "it")
    settings = Selection(kinds=frozenset({("", "Namespace")}))
    cache = _read(client, settings)

    assert {one.id.kind for one in cache.objects.all()} == {"Namespace"}
