"""The cache of a cluster through everything that may happen to a connection or to rights."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from commodore_py.live.cache.cluster import ClusterCache
from commodore_py.live.cache.settings import Filter, Pattern, Settings, selects
from commodore_py.manifests.objects import ObjectId
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Kind, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.live.cache.records import Record
    from tests.support.servers.kubernetes import Cluster

PATIENCE = 20.0
ONLY = Filter(
    inclusions=(
        Pattern("", "ConfigMap"),
        Pattern("example.com", "*"),
        Pattern("apiextensions.k8s.io", "*"),
    )
)
CONFIGMAPS = "/configmaps"


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        yield cluster


def _client(server: Cluster, tmp_path: Path, **user: object) -> Client:
    file = tmp_path / "kubeconfig"
    file.write_text(kubernetes.kubeconfig_of(server.url, **user))
    return Client(kubeconfig.find(str(file), variables={}, home=Path("/nowhere")), timeout=10)


def _put(server: Cluster, name: str, namespace: str = "shop", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    metadata = {"name": name, "namespace": namespace, **more}
    return server.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


def _id(name: str, namespace: str = "shop") -> ObjectId:
    return ObjectId("", "ConfigMap", namespace, name)


@contextmanager
def _followed(
    server: Cluster,
    tmp_path: Path,
    seen: list[tuple[str, str]],
    **settings: Any,  # noqa: ANN401 - fields
) -> Iterator[ClusterCache]:
    cache = ClusterCache(_client(server, tmp_path), Settings(filter=ONLY, **settings))
    cache.on_created(lambda one: seen.append(("created", one.id.name)))
    cache.on_updated(lambda one: seen.append(("updated", one.id.name)))
    cache.on_deleted(lambda id_: seen.append(("deleted", id_.name)))
    cache.on_api_added(lambda api: seen.append(("api added", api.kind)))
    cache.on_api_removed(lambda api: seen.append(("api removed", api.kind)))
    try:
        cache.follow()
        _eventually(lambda: _is_quiet(seen))
        seen.clear()
        yield cache
    finally:
        cache.close()


def _eventually(check: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not check() and time.monotonic() < until:
        time.sleep(0.01)
    return check()


def _is_quiet(seen: list[tuple[str, str]]) -> bool:
    before = len(seen)
    time.sleep(0.1)
    return len(seen) == before


def _has_more_watches(server: Cluster, than: int) -> bool:
    return _watches(server) > than


def _watches(server: Cluster, words: str = CONFIGMAPS) -> int:
    return sum("watch=true" in path and words in path for _, path in server.requests)


def test_a_list_whose_pages_expire_is_made_again(server: Cluster, tmp_path: Path) -> None:
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
    cache = ClusterCache(_client(server, tmp_path), Settings(filter=ONLY))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("commodore_py.live.cache.listing._PAGE", "2")
        cache.load()

    assert [one.name for one in cache.list()] == [f"it-{number}" for number in range(5)]
    unpaged = [path for _, path in server.requests if path.split("?")[0].endswith(CONFIGMAPS)]
    assert "limit=" not in unpaged[-1]


@pytest.mark.slow
def test_watches_that_are_cut_go_on_without_losing_or_repeating_events(
    server: Cluster, tmp_path: Path
) -> None:
    _put(server, "old")
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen):
        for name in ("it-0", "it-1", "it-2"):
            _put(server, name)
            assert _eventually(partial(seen.__contains__, ("created", name)))
            watches = _watches(server)
            server.cut_watches()
            server.remove("ConfigMap", name, "shop")
            assert _eventually(partial(seen.__contains__, ("deleted", name)))
            assert _eventually(partial(_has_more_watches, server, watches))

    assert seen == [
        (what, f"it-{number}") for number in range(3) for what in ("created", "deleted")
    ]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Refusal(410, "Expired", "too old"), id="410"),
        pytest.param(Refusal(200, "", "", body=b'{"type": "ADDED", "obj'), id="half a line"),
        pytest.param(Refusal(200, "", "", body=b"<html>a proxy</html>\n"), id="HTML"),
        pytest.param(
            Refusal(200, "", "", body=b'{"type": "ERROR", "object": {"code": 410}}\n'), id="ERROR"
        ),
        pytest.param(Refusal(200, "", "", body=b"[]\n"), id="no event"),
        pytest.param(Refusal(500, "InternalError", "broken"), id="500"),
    ],
)
@pytest.mark.sample(3)
def test_a_watch_that_fails_is_made_again(server: Cluster, tmp_path: Path, answer: Refusal) -> None:
    _put(server, "old")
    failed: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if "watch=true" in path and CONFIGMAPS in path and not failed:
            failed.append(path)
            _put(server, "new")
            return answer
        return None

    server.before = before
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen) as cache:
        assert _eventually(lambda: cache.get(_id("new")) is not None)
        assert _eventually(lambda: _is_quiet(seen))
        assert seen in ([("created", "new")], [])  # before the list is cleared, or after

    assert failed


@pytest.mark.slow
def test_an_object_made_again_between_two_lists_is_deleted_and_created(
    server: Cluster, tmp_path: Path
) -> None:
    _put(server, "it", uid="1")
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen) as cache:
        with server.changed:  # nothing is sent meanwhile
            server.remove("ConfigMap", "it", "shop")
            _put(server, "it", uid="2")
            server.history.clear()
            server.expire()
        assert _eventually(lambda: ("created", "it") in seen)
        record = cache.get(_id("it"))

    assert seen == [("deleted", "it"), ("created", "it")]
    assert record is not None
    assert record.uid == "2"


def test_handlers_that_fail_or_end_themselves_stop_no_others(
    server: Cluster, tmp_path: Path
) -> None:
    seen: list[tuple[str, str]] = []
    once: list[str] = []

    def end(record: Record) -> None:
        once.append(record.id.name)
        unsubscribe()
        raise RuntimeError("no")

    with _followed(server, tmp_path, seen) as cache:
        unsubscribe = cache.on_created(end)
        last: list[str] = []
        cache.on_created(lambda record: last.append(record.id.name))
        _put(server, "one")
        _put(server, "two")
        assert _eventually(lambda: last == ["one", "two"])

    assert once == ["one"]
    assert seen == [("created", "one"), ("created", "two")]


def test_kinds_come_and_go_with_their_objects(server: Cluster, tmp_path: Path) -> None:
    thing = Kind("example.com", "v1", "Thing", "things")
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen):
        server.kinds.append(thing)
        server.put(
            {
                "apiVersion": "example.com/v1",
                "kind": "Thing",
                "metadata": {"name": "it", "namespace": "shop"},
            }
        )
        server.put({**crd, "metadata": {"name": "things.example.com"}})
        assert _eventually(lambda: ("created", "it") in seen)
        assert ("api added", "Thing") in seen

        server.kinds.remove(thing)
        server.remove("CustomResourceDefinition", "things.example.com")
        assert _eventually(lambda: ("api removed", "Thing") in seen)
        assert _eventually(lambda: ("deleted", "it") in seen)


def test_what_may_not_be_read_is_unseen(server: Cluster, tmp_path: Path) -> None:
    _put(server, "it")
    server.allowed = lambda verb, _, resource: (verb, resource) != ("list", "configmaps")
    cache = ClusterCache(_client(server, tmp_path))

    cache.load()

    assert cache.get(_id("it")) is None
    assert "403" in cache.unseen("", "ConfigMap", "shop")
    assert cache.unseen("", "Secret", "shop") == ""
    assert list(cache.info().unseen) == ["ConfigMap"]


def test_rights_that_end_make_objects_unseen_and_not_deleted(
    server: Cluster, tmp_path: Path
) -> None:
    _put(server, "it")
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen) as cache:
        server.before = lambda _, path: (
            Refusal(403, "Forbidden", "no longer") if CONFIGMAPS in path else None
        )
        server.cut_watches()

        assert _eventually(lambda: "403" in cache.unseen("", "ConfigMap"))
        assert _eventually(lambda: _is_quiet(seen))

    assert seen == []


def test_an_api_that_does_not_answer_leaves_the_rest_complete(
    server: Cluster, tmp_path: Path
) -> None:
    server.kinds.append(Kind("example.com", "v1", "Thing", "things"))
    server.silent.add("example.com/v1")
    _put(server, "it")
    cache = ClusterCache(_client(server, tmp_path), Settings(filter=ONLY))

    cache.load()

    assert cache.get(_id("it")) is not None
    assert "does not answer" in cache.unseen("example.com", "Thing", "shop")
    assert cache.unseen("other.com", "Thing") == ""


def test_a_server_that_is_busy_is_asked_again_when_it_says(server: Cluster, tmp_path: Path) -> None:
    _put(server, "it")
    refused: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if CONFIGMAPS in path and len(refused) < 3:
            refused.append(path)
            return Refusal(429, "TooManyRequests", "busy", headers={"Retry-After": "0"})
        return None

    server.before = before
    cache = ClusterCache(_client(server, tmp_path), Settings(filter=ONLY))
    cache.load()

    assert len(refused) == 3
    assert cache.get(_id("it")) is not None


def test_a_token_that_ends_is_read_again(server: Cluster, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    seen: list[tuple[str, str]] = []
    client = _client(server, tmp_path, tokenFile=str(token))
    cache = ClusterCache(client, Settings(filter=ONLY))
    cache.on_created(lambda one: seen.append(("created", one.id.name)))
    cache.follow()
    token.write_text("second")
    refused: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if CONFIGMAPS in path and not refused:
            refused.append(path)
            return Refusal(401, "Unauthorized", "the token has ended")
        return None

    server.before = before
    server.cut_watches()
    assert _eventually(lambda: bool(refused))
    _put(server, "new")

    assert _eventually(lambda: ("created", "new") in seen)
    cache.close()


def test_an_object_of_two_groups_is_one(server: Cluster, tmp_path: Path) -> None:
    server.kinds.append(Kind("extensions", "v1beta1", "Deployment", "deployments"))
    for version in ("apps/v1", "extensions/v1beta1"):
        metadata = {"name": "web", "namespace": "shop", "uid": "1"}
        server.put({"apiVersion": version, "kind": "Deployment", "metadata": metadata})
    cache = ClusterCache(_client(server, tmp_path))

    cache.load()

    found = [one for one in cache.list() if one.kind == "Deployment"]
    assert found == [ObjectId("apps", "Deployment", "shop", "web")]
    assert len(cache.copies(found[0])) == 2


def test_several_namespaces_are_read_apart(server: Cluster, tmp_path: Path) -> None:
    for namespace in ("shop", "bank", "other"):
        _put(server, "it", namespace)
    seen: list[tuple[str, str]] = []
    with _followed(server, tmp_path, seen, namespaces=("shop", "bank")) as cache:
        assert cache.list() == (_id("it", "bank"), _id("it"))
        server.remove("ConfigMap", "it", "bank")
        assert _eventually(lambda: cache.list() == (_id("it"),))

        cache.invalidate(Settings(filter=ONLY, namespaces=("other",)))

        assert cache.list() == (_id("it", "other"),)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("namespaced_only and cluster_only", {"namespaced_only": True, "cluster_only": True}),
        ("namespaces and cluster_only", {"namespaces": ["shop"], "cluster_only": True}),
    ],
)
def test_lists_that_contradict_themselves(words: str, options: dict[str, Any]) -> None:
    cache = ClusterCache(Client(kubeconfig.Access("http://127.0.0.1:1", kubeconfig.User())))

    with pytest.raises(ValueError, match=words):
        cache.list(**options)


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("", True),
        ("tier=front", True),
        ("tier==front,app", True),
        ("tier!=front", False),
        ("!tier", False),
        ("! absent", True),
        ("tier in (front, back)", True),
        ("tier notin (front,back)", False),
        ("absent notin (front)", True),
        ("absent=", False),
        ("inside", False),
    ],
)
def test_selectors_are_those_of_kubectl(selector: str, *, fits: bool) -> None:
    assert selects(selector)({"tier": "front", "app": "web"}) is fits


@pytest.mark.parametrize("selector", ["=a", "a b", "a in b", "a,,b"])
def test_a_selector_that_is_none(selector: str) -> None:
    with pytest.raises(ValueError, match="not a label selector"):
        selects(selector)
