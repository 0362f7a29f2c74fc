"""A small API server: kinds, lists in pages, dry runs; what clients of ours rely on.

The contract suite in `tests/contract` runs against this and against a real server.
"""

from __future__ import annotations

import json
import threading
import uuid
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json: TypeAlias = Any

_METADATA = "as=PartialObjectMetadata"
UID = "uid-of-the-cluster"
_VERBS = ("create", "delete", "get", "list", "patch", "watch")


@dataclass
class Kind:
    """A kind that is served."""

    group: str
    version: str
    kind: str
    resource: str
    namespaced: bool = True
    verbs: tuple[str, ...] = _VERBS

    @property
    def root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


_MANAGED = [{"manager": "test", "fieldsV1": {"f:spec": {}}}]
KINDS = (
    Kind("", "v1", "Namespace", "namespaces", namespaced=False),
    Kind("", "v1", "ConfigMap", "configmaps"),
    Kind("", "v1", "Endpoints", "endpoints"),
    Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    Kind("", "v1", "Pod", "pods"),
    Kind("", "v1", "Secret", "secrets"),
    Kind("", "v1", "Service", "services"),
    Kind("", "v1", "ServiceAccount", "serviceaccounts"),
    Kind("apps", "v1", "Deployment", "deployments"),
    Kind("apps", "v1", "ReplicaSet", "replicasets"),
    Kind("apps", "v1", "StatefulSet", "statefulsets"),
    Kind(
        *("apiextensions.k8s.io", "v1"),
        *("CustomResourceDefinition", "customresourcedefinitions"),
        namespaced=False,
    ),
    Kind("apiregistration.k8s.io", "v1", "APIService", "apiservices", namespaced=False),
    Kind("argoproj.io", "v1alpha1", "Application", "applications"),
)


class Refusal(Exception):
    """A request that is answered with a Status, or with any other body."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason
        self.headers = headers or {}
        self.body = body


@dataclass
class Cluster:
    """The content of the server, and what it was asked."""

    url: str = ""
    kinds: list[Kind] = field(default_factory=lambda: list(KINDS))
    silent: set[str] = field(default_factory=set)
    """Groups whose server is away: `group/version`."""
    requests: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[str, str], Refusal | None] = lambda _, __: None
    """Called with method and path of every request: what it returns is the answer."""
    allowed: Callable[[str, str, str], bool] = lambda _, __, ___: True
    """Verb, group and resource: whether the user has that right."""
    mutate: Callable[[Json], Json] = lambda content: content
    """What admission webhooks make of an object in a dry run."""
    objects: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    """By root and resource, namespace, name."""
    version: int = 10
    lock: threading.RLock = field(default_factory=threading.RLock)

    def kind_at(self, root: str, resource: str) -> Kind:
        for one in self.kinds:
            if (one.root, one.resource) == (root, resource):
                return one
        raise Refusal(404, "NotFound", "the server could not find the requested resource")

    def kind_of(self, content: dict[str, Any]) -> Kind:
        group, _, version = content["apiVersion"].rpartition("/")
        for one in self.kinds:
            if (one.group, one.version, one.kind) == (group, version, content["kind"]):
                return one
        raise Refusal(404, "NotFound", f"no kind {content['kind']}")

    def put(self, content: dict[str, Any]) -> dict[str, Any]:
        """Create or replace an object."""
        kind = self.kind_of(content)
        with self.lock:
            metadata = content["metadata"]
            place = (self._table(kind), metadata.get("namespace", ""), metadata["name"])
            known = self.objects.get(place)
            self.version += 1
            stored = deepcopy(content)
            stored["metadata"] |= {
                "uid": known["metadata"]["uid"]
                if known
                else metadata.get("uid", str(uuid.uuid4())),
                "resourceVersion": str(self.version),
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "managedFields": metadata.get("managedFields", _MANAGED),
            }
            self.objects[place] = stored
        return stored

    def remove(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object."""
        found = next(one for one in self.kinds if one.kind == kind)
        with self.lock:
            gone = self.objects.pop((self._table(found), namespace, name))
            self.version += 1
            gone["metadata"]["resourceVersion"] = str(self.version)

    def listed(self, kind: Kind, namespace: str) -> list[dict[str, Any]]:
        with self.lock:
            return [
                deepcopy(one)
                for (table, within, _), one in sorted(self.objects.items())
                if table == self._table(kind) and namespace in ("", within)
            ]

    def _table(self, kind: Kind) -> str:
        return f"{kind.group}/{kind.resource}"


@contextmanager
def serve() -> Iterator[Cluster]:
    """An API server as long as this lasts."""
    cluster = Cluster()
    place = {"name": "kube-system", "uid": UID}
    cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": place})
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(cluster))
    server.daemon_threads = True
    cluster.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield cluster


def kubeconfig_of(url: str, **user: object) -> str:
    """A kubeconfig file, as JSON."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "clusters": [{"name": "test", "cluster": {"server": url}}],
            "users": [{"name": "test", "user": user or {"token": "token-of-the-test"}}],
        }
    )


def _handler_of(cluster: Cluster) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body would wait for the ACK of its headers

        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def do_PATCH(self) -> None:
            self._answer("PATCH")

        def do_DELETE(self) -> None:
            self._answer("DELETE")

        def _answer(self, method: str) -> None:
            parts = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            cluster.requests.append((method, self.path))
            try:
                refusal = cluster.before(method, self.path)
                if refusal is not None:
                    raise refusal
                accept = self.headers.get("Accept", "")
                asked = Asked(method, parts.path, query, body, accept)
                self._send(200, _answered(cluster, asked))
            except Refusal as error:
                status: Json = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
                status |= {"code": error.code, "reason": error.reason, "message": str(error)}
                text = error.body if error.body is not None else json.dumps(status).encode()
                self._send_text(error.code, text, error.headers)

        def _send(self, status: int, content: Json) -> None:
            self._send_text(status, json.dumps(content).encode(), {})

        def _send_text(self, status: int, text: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):  # a client that ends its watch
                super().handle()

    return Handler


def _place(cluster: Cluster, path: str) -> tuple[Kind, str, str]:
    words = path.strip("/").split("/")
    count = 2 if words[0] == "api" else 3
    root, rest = "/" + "/".join(words[:count]), words[count:]
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    return cluster.kind_at(root, rest[0]), namespace, rest[1] if len(rest) > 1 else ""


class Asked(NamedTuple):
    """A request."""

    method: str
    path: str
    query: dict[str, str]
    body: Json
    accept: str


def _answered(cluster: Cluster, asked: Asked) -> Json:
    path = asked.path
    if path in ("/api", "/apis"):
        return _discovery(cluster, path)
    if path.count("/") == (2 if path.startswith("/api/") else 3):
        return _resources(cluster, path)
    return _of_object(cluster, asked)


def _of_object(cluster: Cluster, asked: Asked) -> Json:
    kind, namespace, name = _place(cluster, asked.path)
    if f"{kind.group}/{kind.version}" in cluster.silent:
        raise Refusal(503, "ServiceUnavailable", "the server is currently unable to handle it")
    verbs = {"PATCH": "patch", "DELETE": "delete"}
    verb = verbs.get(asked.method, "get" if name else "list")
    if not cluster.allowed(verb, kind.group, kind.resource):
        raise Refusal(403, "Forbidden", f'cannot {verb} resource "{kind.resource}"')
    place = (f"{kind.group}/{kind.resource}", namespace, name)
    if verb == "patch":
        return _applied(cluster, place, asked)
    if verb == "list":
        return _list(cluster, kind, namespace, asked)
    found = cluster.objects.get(place)
    if found is None:
        raise Refusal(404, "NotFound", f'{kind.resource} "{name}" not found')
    if verb == "delete":
        wanted = asked.body.get("preconditions") or {}
        for key in ("uid", "resourceVersion"):
            if wanted.get(key, found["metadata"][key]) != found["metadata"][key]:
                raise Refusal(409, "Conflict", "the precondition failed")
        cluster.remove(kind.kind, name, namespace)
    return _as_wanted(found, asked.accept)


def _applied(cluster: Cluster, place: tuple[str, str, str], asked: Asked) -> Json:
    """Fields are merged; that is all that our client can see without a conflict."""
    content = merged(cluster.objects.get(place) or {}, asked.body)
    within = {"namespace": place[1]} if place[1] else {}
    content["metadata"] = {**content["metadata"], "name": place[2], **within}
    if asked.query.get("dryRun") == "All":
        return cluster.mutate(content)
    return cluster.put(content)


def merged(old: Json, new: Json) -> Json:
    """Fields of one object, and over them those of another."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return deepcopy(new)
    return {**deepcopy(old), **{key: merged(old.get(key), one) for key, one in new.items()}}


def _discovery(cluster: Cluster, path: str) -> Json:
    groups: dict[str, list[str]] = {}
    for one in cluster.kinds:
        if (path == "/api") == (not one.group):
            versions = groups.setdefault(one.group, [])
            versions += [] if one.version in versions else [one.version]
    if path == "/api":
        return {"kind": "APIVersions", "versions": groups.get("", [])}
    return {
        "kind": "APIGroupList",
        "groups": [
            {
                "name": name,
                "versions": [{"version": version} for version in versions],
                "preferredVersion": {"version": versions[0]},
            }
            for name, versions in groups.items()
        ],
    }


def _resources(cluster: Cluster, path: str) -> Json:
    found = [one for one in cluster.kinds if one.root == path]
    if not found:
        raise Refusal(404, "NotFound", "the server could not find the requested resource")
    if f"{found[0].group}/{found[0].version}" in cluster.silent:
        raise Refusal(503, "ServiceUnavailable", "the server is currently unable to handle it")
    return {
        "kind": "APIResourceList",
        "resources": [
            {
                "name": one.resource,
                "kind": one.kind,
                "namespaced": one.namespaced,
                "verbs": list(one.verbs),
            }
            for one in found
        ],
    }


def _list(cluster: Cluster, kind: Kind, namespace: str, asked: Asked) -> Json:
    query, accept = asked.query, asked.accept
    found = cluster.listed(kind, namespace)
    version, start = cluster.version, 0
    if "continue" in query:
        version, start = map(int, query["continue"].split("-"))
    limit = int(query.get("limit") or 0) or len(found)
    page = found[start : start + limit]
    metadata = {"resourceVersion": str(version)}
    if start + limit < len(found):
        metadata["continue"] = f"{version}-{start + limit}"
    name = "PartialObjectMetadataList" if _METADATA in accept else f"{kind.kind}List"
    items = [_as_wanted(one, accept) for one in page]
    for one in items:
        if _METADATA not in accept:  # as the server does
            one.pop("kind")
            one.pop("apiVersion")
    return {"kind": name, "metadata": metadata, "items": items}


def _as_wanted(content: dict[str, Any], accept: str) -> dict[str, Any]:
    if _METADATA not in accept:
        return deepcopy(content)
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": deepcopy(content["metadata"]),
    }
