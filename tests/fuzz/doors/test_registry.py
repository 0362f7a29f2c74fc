"""The door of registries and APIs: answers of a server, whatever it says and however it says it."""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from hypothesis import strategies as st

from commodore_py.adapters.http.registry import Reference, Registry
from commodore_py.dependencies.downloads.artifacts import Artifacts
from commodore_py.dependencies.downloads.settings import FetchSettings
from commodore_py.dependencies.downloads.store import Store
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.server import Server
from commodore_py.model.download import Artifact
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, damaged, spoilt

BLOB = b"content"
DIGEST = f"sha256:{hashlib.sha256(BLOB).hexdigest()}"
MANIFEST = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": {"digest": DIGEST, "size": 2},
    "layers": [
        {
            "mediaType": "text/plain",
            "digest": DIGEST,
            "size": 7,
            "annotations": {"org.opencontainers.image.title": "a.txt"},
        },
    ],
}
TAGS = {"name": "n", "tags": ["1.0.0", "latest"]}
CLUSTERS = [{"id": "c-x", "tenant": "t-x", "displayName": "x"}]


class Answer(NamedTuple):
    """What the server says to everything but blobs."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


HEADERS = st.sampled_from(
    [
        (),
        (("Docker-Content-Digest", "sha256:00"),),
        (("Docker-Content-Digest", "md5:ä"),),
        (("Link", '</v2/n/tags/list?last=x>; rel="next"'),),
        (("Link", "<http://[::1/>; rel=next"),),
        (("Location", "http://[::1/x"),),
        (("Location", "/v2/n/tags/list"),),
        (("Location", "file:///etc/hostname"),),
        (("WWW-Authenticate", 'Bearer realm="http://[",service="x"'),),
        (("WWW-Authenticate", 'Bearer realm="file:///etc/hostname"'),),
        (("WWW-Authenticate", "Basic"),),
        (("WWW-Authenticate", 'Bearer realm="",scope=""'),),
        (("Content-Encoding", "gzip"),),
        (("Content-Type", "text/html; charset=nope"),),
        (("Retry-After", "x"),),
        (("Retry-After", "-5"),),
        (("X", "a" * 70_000),),
    ]
)
BODIES = st.one_of(
    damaged(MANIFEST).map(as_json),
    damaged(TAGS).map(as_json),
    damaged(CLUSTERS).map(as_json),
    spoilt([as_json(MANIFEST), as_json(TAGS), as_json(CLUSTERS[0]), b"<html>no</html>", b""]),
)
STATUSES = st.sampled_from([200, 200, 200, 200, 204, 206, 302, 307, 304, 400, 401, 403, 404, 599])
CASES = st.builds(Answer, BODIES, STATUSES, HEADERS)


@cache
def server() -> ThreadingHTTPServer:
    """One server for all cases; its answer is set before each."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            answer: Answer = _said[-1]
            blob = "/blobs/" in self.path
            self.send_response(200 if blob else answer.status)
            for name, value in () if blob else answer.headers:
                self.send_header(name, value.encode().decode("latin-1"))
            self.end_headers()
            self.wfile.write(BLOB if blob else answer.body)

        do_POST = do_GET  # noqa: N815 - http.server's name

        def log_message(self, *_: object) -> None:
            """Nothing."""

    started = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    started.daemon_threads = True
    Thread(target=started.serve_forever, daemon=True).start()
    return started


_said: list[Answer] = []


def feed(answer: Answer) -> None:
    host = f"127.0.0.1:{server().server_port}"
    _said[:] = [answer]
    reference = Reference.parse(f"{host}/n:v1")
    errors: list[CommodoreError] = []
    with tempfile.TemporaryDirectory() as name:
        settings = FetchSettings(Store(Path(name)), refresh=True, offline=False, timeout=5)
        api = Server(f"http://{host}", "token", 5, pauses=())
        asks = (
            Registry(reference, 5).tags,
            lambda: Artifacts(settings).fetch(Artifact(str(reference))),
            lambda: api.cluster("c-x"),
            api.clusters,
            lambda: api.report("c-x", {}),
        )
        for ask in asks:
            try:
                ask()
            except CommodoreError as error:
                errors.append(error)
    if len(errors) == len(asks):
        raise errors[0]


def test_registry() -> None:
    layer = {"mediaType": "x", "digest": DIGEST}
    survives(
        feed,
        CASES,
        Answer(as_json(MANIFEST)),
        Answer(as_json(TAGS)),
        Answer(as_json({"layers": ["x"]})),
        Answer(as_json({"layers": [{**layer, "annotations": ["x"]}]})),
        Answer(
            as_json(
                {"layers": [{**layer, "annotations": {"org.opencontainers.image.title": "/x"}}]}
            )
        ),
        Answer(
            as_json(
                {"layers": [{**layer, "annotations": {"org.opencontainers.image.title": "a\0"}}]}
            )
        ),
        Answer(b"[" * 100_000),
        Answer(b'{"layers": ' + b"[" * 100_000),
        Answer(b'{"tags": ' + b"9" * 5000 + b"}"),
        Answer(b'{"tags": 5}'),
        Answer(b"", 302, (("Location", "http://[::1/x"),)),
        Answer(as_json(TAGS), 200, (("Link", '<http://[::1/>; rel="next"'),)),
    )
