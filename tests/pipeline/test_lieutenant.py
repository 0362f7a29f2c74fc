"""The API over real HTTP; and the promise that a folder of facts is as good as a server."""

from __future__ import annotations

import json
import logging
import socket
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from commodore_py.adapters.http import (
    HttpError,
    NotFound,
    ServerAway,
    get_json,
    post_json,
)
from commodore_py.adapters.http.address import same_server
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.clusters import cluster_ids, list_clusters, load_cluster, report_body
from commodore_py.lieutenant.server import Server
from tests.support.lieutenant import (
    MISSING,
    as_yaml,
    cluster_object,
    make_record,
    problem_lines,
    report,
    tenant_object,
)
from tests.support.servers.api import Api, Reply, error_reply, json_reply, redirect_reply, serve_api
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_PAUSES = (0.0, 0.0)


@pytest.fixture
def api() -> Iterator[Api]:
    """A server that knows nothing yet."""
    with serve_api() as api:
        yield api


@pytest.fixture
def config(api: Api, tmp_path: Path) -> Config:
    return Config(WorkPaths(tmp_path), api_url=api.url, api_token="sesame", request_timeout=5)


def asked_for(api: Api) -> list[str]:
    return [f"{request.method} {request.path}" for request in api.received]


# ------------------------------------------------------------------ one contract, two sources


class Source(Protocol):
    """What the contract is checked on: give it objects, point a config at it, read its report."""

    def holds(self, clusters: list[dict[str, Any]], tenants: list[dict[str, Any]]) -> None: ...
    def settings(self) -> dict[str, str]: ...
    def reported(self, cluster_id: str) -> str: ...


@dataclass
class FolderSource:
    """A folder of facts."""

    root: Path

    def holds(self, clusters: list[dict[str, Any]], tenants: list[dict[str, Any]]) -> None:
        for kind, objects in (("clusters", clusters), ("tenants", tenants)):
            (self.root / kind).mkdir(parents=True)
            for fields in objects:
                (self.root / kind / f"{fields['id']}.yaml").write_text(as_yaml(fields), "utf-8")

    def settings(self) -> dict[str, str]:
        return {"api_url": str(self.root)}

    def reported(self, cluster_id: str) -> str:
        return (self.root / "reports" / f"{cluster_id}.json").read_text()


@dataclass
class ServerSource:
    """The same over HTTP, with the filter and the order that a server applies."""

    api: Api
    paths: list[str] = field(default_factory=list)

    def holds(self, clusters: list[dict[str, Any]], tenants: list[dict[str, Any]]) -> None:
        for kind, objects in (("clusters", clusters), ("tenants", tenants)):
            for fields in objects:
                self.api.serves(f"/{kind}/{fields['id']}", fields)
        for fields in clusters:
            self.api.on(f"POST /clusters/{fields['id']}/compileMeta", Reply(204))
        by_name = sorted(clusters, key=lambda fields: str(fields.get("displayName", "")))
        self.api.serves("/clusters/", clusters)
        self.api.serves("/clusters/?sort_by=displayName", by_name)
        self.api.serves(
            "/clusters/?tenant=t-1", [fields for fields in clusters if fields["tenant"] == "t-1"]
        )

    def settings(self) -> dict[str, str]:
        return {"api_url": self.api.url, "api_token": "sesame"}

    def reported(self, cluster_id: str) -> str:
        (request,) = (
            a for a in self.api.received if a.path == f"/clusters/{cluster_id}/compileMeta"
        )
        return request.body.decode()


@pytest.fixture(params=["folder", "server"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    """Two clusters of one tenant, one of another."""
    made: Source
    with serve_api() as api:
        made = FolderSource(tmp_path / "facts") if request.param == "folder" else ServerSource(api)
        made.holds(CLUSTERS, [tenant_object(), tenant_object(id="t-2", displayName=MISSING)])
        yield made


@pytest.fixture
def sourced(source: Source, tmp_path: Path) -> Config:
    return Config(WorkPaths(tmp_path / "work"), **source.settings())  # type: ignore[arg-type] # names and types are those of two text fields


CLUSTERS = [
    cluster_object(),
    cluster_object(id="c-2", displayName=MISSING, dynamicFacts=MISSING),
    cluster_object(id="c-3", tenant="t-2", displayName="A", globalGitRepoRevision="v2"),
]


def test_folder_and_server_load_same_cluster(sourced: Config) -> None:
    cluster = load_cluster(sourced, "c-3")

    assert cluster.parameters() == {
        "parameters": {
            "cluster": {
                "catalog_url": "ssh://git@git.example.org/c-1.git",
                "display_name": "A",
                "name": "c-3",
                "tenant": "t-2",
                "tenant_display_name": "t-2",
            },
            "dynamic_facts": {"nodes": 3},
            "facts": {"cloud": "lakeside", "distribution": "k3s", "region": "east"},
        }
    }
    assert (cluster.global_repo.url, cluster.global_repo.revision) == (
        "https://git.example.org/global.git",
        "v2",
    )
    assert (cluster.tenant_repo.url, cluster.tenant_repo.revision) == (
        "https://git.example.org/t-1.git",
        None,
    )


def test_revisions_and_facts_given_are_heeded_alike(sourced: Config) -> None:
    given = replace(
        sourced, global_revision="mine", tenant_revision="ours", dynamic_facts={"nodes": 1}
    )

    cluster = load_cluster(given, "c-2")

    assert cluster.global_repo.revision == "mine"
    assert cluster.tenant_repo.revision == "ours"
    assert cluster.dynamic_facts == {"nodes": 1}


def test_ignored_dynamic_facts_are_mentioned(
    sourced: Config, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "commodore_py")

    cluster = load_cluster(replace(sourced, dynamic_facts={"nodes": 1}), "c-1")

    assert cluster.dynamic_facts == {"nodes": 3}
    assert caplog.messages == [
        "dynamic facts of the command line are ignored: the cluster reports dynamic facts"
    ]


def test_folder_and_server_list_same_clusters(sourced: Config) -> None:
    assert list_clusters(sourced) == CLUSTERS
    assert list_clusters(sourced, tenant="t-1") == CLUSTERS[:2]
    assert list_clusters(sourced, sort_by="displayName") == [CLUSTERS[i] for i in (1, 2, 0)]


def test_folder_and_server_complete_same_ids(sourced: Config) -> None:
    assert cluster_ids(sourced) == ["c-1", "c-2", "c-3"]


def test_report_is_the_same_for_a_folder_and_a_server(source: Source, sourced: Config) -> None:
    def version(name: str, **more: str) -> dict[str, str]:
        url = f"https://git.example.org/{name}.git"
        return {"gitSha": "0a1b2c3d" * 5, "url": url, "version": "main", **more}

    report(sourced, make_record())

    body = json.loads(source.reported("c-1"))
    info = body["commodoreBuildInfo"]
    assert info["version"].startswith("1.35.1+commodore-py.")
    assert json.dumps(body) == json.dumps(
        {
            "commodoreBuildInfo": {**info, "gitVersion": f"v{info['version']}"},
            "global": version("global"),
            "instances": {
                "shop": version("shop", component="shop"),
                "shop-two": version("shop-two", path="comps/shop", component="shop"),
            },
            "lastCompile": "2026-05-04T03:02:01.123+02:00",
            "packages": {"tools": version("tools", path="pkg")},
            "tenant": version("t-1"),
        }
    )


def test_unwritable_report_is_error(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("in the way")

    with pytest.raises(CommodoreError, match="cannot write the report") as raised:
        report(Config(WorkPaths(tmp_path), api_url=str(tmp_path)), make_record())

    assert raised.value.where == str(tmp_path / "reports/c-1.json")


def test_unknown_cluster_suggests_similar(sourced: Config) -> None:
    with pytest.raises(CommodoreError) as raised:
        load_cluster(sourced, "c-33")

    assert raised.value.hint == "did you mean c-3?"
    assert raised.value.__notes__ == ["while loading cluster c-33"]


# ------------------------------------------------------------------ what a server is asked


def test_get_sends_token_and_parameters(api: Api) -> None:
    api.serves("/clusters/?tenant=t+1", [])

    get_json(f"{api.url}/clusters/", token="sesame", params={"tenant": "t 1"}, timeout=5)

    (request,) = api.received
    assert request.token == "Bearer sesame"
    assert "Content-Type" not in request.headers


def test_report_is_sent_as_json(api: Api, config: Config) -> None:
    api.on("POST /clusters/c-1/compileMeta", Reply(204))

    report(config, make_record())

    (request,) = api.received
    assert request.token == "Bearer sesame"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body == json.dumps(report_body(make_record())).encode()


def test_netrc_does_not_replace_token(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    api.on("GET /a", redirect_reply("/b"))
    api.serves("/b", {})
    api.on("POST /a", redirect_reply("/b"))
    api.on("POST /b", Reply(204))

    get_json(f"{api.url}/a", token="sesame", timeout=5)
    post_json(f"{api.url}/a", {}, token="sesame", timeout=5)
    get_json(f"{api.url}/b", timeout=5)

    assert [request.token for request in api.received] == [*["Bearer sesame"] * 4, None]


@pytest.mark.parametrize("token", ["", " \n"])
def test_no_request_is_sent_without_token(api: Api, config: Config, token: str) -> None:
    anonymous = replace(config, api_token=token)

    for call in (lambda: load_cluster(anonymous, "c-1"), lambda: report(anonymous, make_record())):
        with pytest.raises(CommodoreError, match="no token for the API") as raised:
            call()
        assert "COMMODORE_API_TOKEN" in raised.value.hint

    assert cluster_ids(anonymous) == []
    assert api.received == []


def test_missing_api_url_lists_alternatives(config: Config) -> None:
    with pytest.raises(CommodoreError, match="no API URL") as raised:
        list_clusters(replace(config, api_url=""))

    for way in ("--api-url", "COMMODORE_API_URL", "./facts", "commodore demo"):
        assert way in raised.value.hint


# ------------------------------------------------------------------ redirects


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirected_post_is_sent_unchanged(api: Api, status: int) -> None:
    api.on("POST /a", redirect_reply(f"{api.url}/b", status))
    api.on("POST /b", redirect_reply("c", status))
    api.on("POST /c", Reply(204))

    post_json(f"{api.url}/a", {"x": 1}, token="sesame", timeout=5)

    assert [(a.method, a.path, a.token, a.body) for a in api.received] == [
        ("POST", path, "Bearer sesame", b'{"x": 1}') for path in ("/a", "/b", "/c")
    ]


def test_post_is_not_redirected_to_another_server(api: Api) -> None:
    with serve_api() as other:
        api.on("POST /a", redirect_reply(f"{other.url}/a"))

        with pytest.raises(HttpError, match="redirected to another server") as raised:
            post_json(f"{api.url}/a", {}, token="sesame", timeout=5)

    assert f"{other.url}/a" in str(raised.value)
    assert raised.value.where == f"{api.url}/a"
    assert other.received == []


def test_get_redirected_to_another_server_omits_token(api: Api) -> None:
    with serve_api() as other:
        api.on("GET /a", redirect_reply(f"{other.url}/a", 302))
        other.serves("/a", {"x": 1})

        assert get_json(f"{api.url}/a", token="sesame", timeout=5) == {"x": 1}

    assert other.received[0].token is None


@each(
    ("url", "other", "same"),
    [
        ("https://a/x", "https://a/y", True),
        ("https://a", "https://A:443", True),
        ("http://a", "https://a", True),
        ("http://a:8080", "https://a:8443", True),
        ("https://a", "http://a", False),
        ("https://a", "https://a:8443", False),
        ("https://a", "https://a.b", False),
        ("http://a", "https://b", False),
        ("https://a", "https://a@b", False),
        ("https://a", "ftp://a", False),
    ],
)
def test_same_server_accepts_only_upgrade_to_https(url: str, other: str, same: bool) -> None:
    assert same_server(url, other) is same


# ------------------------------------------------------------------ answers that are none


NO_REASON = "answered 500 Internal Server Error: no reason given"


@each(
    ("reply", "problem", "requests"),
    [
        (error_reply(400, "malformed jwt"), "answered 400 Bad Request: malformed jwt", 1),
        (error_reply(403, "not yours"), "answered 403 Forbidden: not yours", 1),
        (Reply(401), "answered 401 Unauthorized: no reason given", 1),
        (json_reply({"message": "x"}, 500), NO_REASON, 1),
        (json_reply(None, 500), NO_REASON, 1),
        (json_reply(7, 500), NO_REASON, 1),
        (Reply(500, b"<html>", {"Content-Type": "text/html"}), NO_REASON, 1),
        (json_reply({}, 599), "answered 599: no reason given", 1),
        (error_reply(503, "away"), "answered 503 Service Unavailable: away", 3),
        (Reply(302), "answered 302 Found", 1),
        (Reply(200, b"<!doctype html>\n <p>Hello"), "answered 200 with no JSON", 1),
        (Reply(200, b'{"a": '), "answered 200 with no JSON", 1),
        (Reply(200, b"\xff\xfe\xfa"), "answered 200 with no JSON", 1),
        (redirect_reply("/a"), "redirected more than 5 times", 6),
        (redirect_reply("http://["), "redirected to an invalid URL", 1),
        (redirect_reply("//a:b"), "redirected to an invalid URL", 1),
    ],
)
def test_unusable_answer_is_an_error(api: Api, reply: Reply, problem: str, requests: int) -> None:
    api.received.clear()
    api.on("GET /a", reply)

    with pytest.raises(HttpError) as raised:
        get_json(f"{api.url}/a", token="sesame", timeout=5, pauses=NO_PAUSES)

    assert problem in str(raised.value)
    assert raised.value.where == f"{api.url}/a"
    assert asked_for(api) == ["GET /a"] * requests


def test_empty_response_is_none(api: Api) -> None:
    api.on("GET /a", Reply(200, b" \n"))

    assert get_json(f"{api.url}/a", timeout=5) is None


@each(
    ("value", "problem"),
    [
        ([], "expected an object, the API sent a list"),
        (None, "expected an object, the API sent nothing"),
        ("c-1", "expected an object, the API sent a string"),
        (cluster_object(id="c-2"), "the API sent cluster 'c-2' instead of c-1"),
    ],
)
def test_invalid_cluster_is_refused(api: Api, config: Config, value: object, problem: str) -> None:
    api.serves("/clusters/c-1", value)

    with pytest.raises(CommodoreError, match=problem):
        load_cluster(config, "c-1")


@each(
    ("value", "problem"),
    [({}, "sent a mapping"), (None, "sent nothing"), ([{}, 1], "sent a list of other things")],
)
def test_invalid_cluster_list_is_refused(
    api: Api, config: Config, value: object, problem: str
) -> None:
    api.serves("/clusters/", value)

    with pytest.raises(CommodoreError, match=problem) as raised:
        list_clusters(config)

    assert raised.value.where == f"{api.url}/clusters/"
    assert raised.value.__notes__ == ["while listing clusters"]
    assert cluster_ids(config) == []


def test_clusters_without_id_are_not_completed(api: Api, config: Config) -> None:
    api.serves("/clusters/", [{"tenant": "t-1"}, {"id": "c-1"}, {"id": 5}])

    assert cluster_ids(config) == ["c-1"]


def test_unknown_cluster_without_list_permission_is_reported(api: Api, config: Config) -> None:
    api.on("GET /clusters/", error_reply(403, "not yours"))

    with pytest.raises(NotFound, match="answered 404 Not Found: no GET /clusters/c-9"):
        load_cluster(config, "c-9")


def test_unknown_tenant_names_cluster(api: Api, config: Config) -> None:
    api.serves("/clusters/c-1", cluster_object())

    with pytest.raises(NotFound) as raised:
        load_cluster(config, "c-1")

    assert raised.value.where == f"{api.url}/tenants/t-1"
    assert raised.value.__notes__ == ["while loading cluster c-1"]


def test_problems_of_both_objects_are_reported_with_their_urls(api: Api, config: Config) -> None:
    api.serves("/clusters/c-1", cluster_object(gitRepo=MISSING))
    api.serves("/tenants/t-1", tenant_object(gitRepo=MISSING))

    with pytest.raises(CommodoreError) as raised:
        load_cluster(config, "c-1")

    assert problem_lines(raised.value) == [
        f"{api.url}/clusters/c-1: cluster c-1 has no catalog repository",
        f"{api.url}/tenants/t-1: tenant t-1 has no repository of its configuration",
    ]


# ------------------------------------------------------------------ servers that are away


@pytest.mark.parametrize("status", [502, 503, 504])
def test_get_is_retried_while_server_is_unavailable(api: Api, status: int) -> None:
    api.on("GET /a", Reply(status), Reply(200, b"{}", cut=True), json_reply({"x": 1}))

    assert get_json(f"{api.url}/a", timeout=5, pauses=NO_PAUSES) == {"x": 1}
    assert len(api.received) == 3


def test_post_is_not_retried(api: Api) -> None:
    api.on("POST /a", Reply(503))

    with pytest.raises(ServerAway):
        post_json(f"{api.url}/a", {}, timeout=5)

    assert len(api.received) == 1


def test_completion_does_not_wait(api: Api, config: Config) -> None:
    api.on("GET /clusters/", Reply(503))

    assert cluster_ids(config) == []
    assert len(api.received) == 1


def test_refused_connection_reports_url_and_cause() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        server = Server(url, token="sesame", timeout=5, pauses=())

        with pytest.raises(ServerAway, match="no connection: Connection refused") as raised:
            server.cluster("c-1")

    assert raised.value.where == f"{url}/clusters/c-1"


def test_failed_tls_connection_hints_at_ca_bundle(api: Api) -> None:
    url = api.url.replace("http:", "https:")

    with pytest.raises(HttpError, match="no secure connection: ") as raised:
        get_json(url, timeout=5, pauses=NO_PAUSES)

    assert "REQUESTS_CA_BUNDLE" in raised.value.hint


def test_refused_proxy_connection_names_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{unused.getsockname()[1]}")

        with pytest.raises(ServerAway, match="through the proxy: Connection refused"):
            get_json("http://lieutenant.example.org", timeout=5, pauses=())


@pytest.mark.parametrize("reply", [Reply(silent=True), Reply(body=b"{}", silent=True)])
def test_slow_response_times_out(api: Api, reply: Reply) -> None:
    api.on("GET /a", reply)
    api.on("POST /a", reply)

    for call in (get_json, lambda url, timeout: post_json(url, {}, timeout=timeout)):
        with pytest.raises(HttpError, match=r"no answer within 0\.2 seconds") as raised:
            call(f"{api.url}/a", timeout=0.2)
        assert raised.value.where == f"{api.url}/a"
        assert "--request-timeout" in raised.value.hint

    assert asked_for(api) == ["GET /a", "POST /a"]


@each("url", ["http://.", "http://a b/", "http://*.x/", "gopher://x"])
def test_invalid_url_is_reported(url: str) -> None:
    with pytest.raises(HttpError) as raised:
        get_json(url, timeout=1, pauses=())

    assert raised.value.where == url


def test_server_repr_hides_token() -> None:
    assert "sesame" not in repr(Server("https://syn.example.com", token="sesame", timeout=5))
