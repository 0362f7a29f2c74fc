"""Servers that answer with what no reader expects: an error with the URL, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.lieutenant.server import Server
from tests.support.servers.api import Api, Reply, serve_api
from tests.support.servers.web import serve
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads
    from tests.support.servers.web import Web

MANY = 100_000
DEEP = {"lists": b"[" * MANY, "objects": b'{"a":' * MANY, "both": b'{"layers":[' * MANY}
LAYER = {"digest": "sha256:00", "mediaType": "text/plain", "size": 1}
ENTRY = "entries:\n  own:\n  - version: 1.0.0\n    urls: "


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.fixture
def api() -> Iterator[Api]:
    with serve_api() as server:
        yield server


@each("form", DEEP)
@each("status", [200, 500])
def test_deeply_nested_json_is_error_with_url(api: Api, form: str, status: int) -> None:
    api.on("GET /clusters/c-1", Reply(status, body=DEEP[form]))

    with pytest.raises(HttpError, match=r"nested too deeply|answered 500") as caught:
        Server(api.url, token="sesame", timeout=30, pauses=()).cluster("c-1")

    assert caught.value.where == f"{api.url}/clusters/c-1"


def test_oversized_integer_from_api_is_an_error(api: Api) -> None:
    api.on("GET /clusters/c-1", Reply(200, body=b'{"facts": ' + b"9" * 5_000 + b"}"))

    with pytest.raises(HttpError, match="an integer of more than 4,300 digits") as caught:
        Server(api.url, token="sesame", timeout=30, pauses=()).cluster("c-1")

    assert caught.value.where == f"{api.url}/clusters/c-1"


def artifact(downloads: Downloads, web: Web, manifest: bytes) -> str:
    """What a download of an artifact with this manifest fails with."""
    web.put("/v2/files/x/manifests/v1", manifest)
    source = f"{web.host}/files/x:v1"
    entry = {"type": "oci", "source": source, "output_path": str(downloads.place / "out")}
    (error,) = downloads.refused(entry)
    assert web.host in error.where or web.host in str(error)
    return str(error)


@pytest.mark.parametrize("form", DEEP)
def test_deeply_nested_manifest_is_an_error(downloads: Downloads, web: Web, form: str) -> None:
    assert "nested too deeply" in artifact(downloads, web, DEEP[form])


@each(
    ("layers", "problem"),
    [
        (["text"], "layers.0 of its manifest is not a valid layer"),
        ([None], "layers.0"),
        ([1], "layers.0"),
        ([[LAYER]], "layers.0"),
        ([LAYER, "text"], "layers.1"),
        ([{**LAYER, "annotations": ["x"]}], "layers.0"),
        ([{**LAYER, "annotations": "x"}], "layers.0"),
        ([{**LAYER, "annotations": {"org.opencontainers.image.title": ["/x"]}}], ""),
        ([{"digest": 5}], "not a supported digest"),
        ([{"digest": None}], "not a supported digest"),
        ({"0": LAYER}, "lists no layers"),
        ("text", "lists no layers"),
        (None, "lists no layers"),
    ],
)
def test_manifest_with_invalid_layers_is_an_error(
    downloads: Downloads, web: Web, layers: object, problem: str
) -> None:
    assert problem in artifact(downloads, web, json.dumps({"layers": layers}).encode())


@each("manifest", [b"5", b'"x"', b"[]", b"null", b"[null]", b"9" * 5_000])
def test_manifest_that_is_no_object_is_an_error(
    downloads: Downloads, web: Web, manifest: bytes
) -> None:
    assert artifact(downloads, web, manifest)


@each(
    ("index", "problem"),
    [
        ("[" * MANY, "nested deeper than 250 levels"),
        ("{[" * MANY, "nested deeper than 250 levels"),
        ("entries: " + "[" * MANY, "nested deeper than 250 levels"),
        ("entries:\n  own: " + "- " * MANY, ""),
        ("entries:\n  own:\n    " + "- " * MANY + "a\n", "nested deeper than 250 levels"),
        (f"{ENTRY}null\n", "there is no chart own"),
        (f"{ENTRY}[]\n", "there is no chart own"),
        (f"{ENTRY}5\n", "there is no chart own"),
        (f"{ENTRY}text\n", "there is no chart own"),
        (f"{ENTRY}{{a: b}}\n", "there is no chart own"),
        (f"{ENTRY}[null]\n", ""),
        (f"{ENTRY}[[x]]\n", ""),
        ("entries:\n  own:\n  - version: [1]\n    urls: [x]\n", "there is no chart own"),
        (f"entries:\n  own:\n  - version: {'9' * 5_000}\n    urls: [x]\n", "4,300 digits"),
        (
            f"entries:\n  own:\n  - version: v{'9' * 5_000}\n    urls: [x]\n",
            "there is no chart own",
        ),
        (
            f"entries:\n  own:\n  - version: 1.0.0-{'9' * 5_000}\n    urls: [x]\n",
            "there is no chart own",
        ),
        ("entries:\n  own:\n  - 5\n  - text\n  - null\n  - [x]\n", "there is no chart own"),
        ("entries: &a\n  own: [*a]\n", "an alias refers to a value that contains it"),
        ("entries: 5\n", "it has no entries"),
        ("- 1\n", "it has no entries"),
        ("entries:\n  own: !!python/object:os.system x\n", "could not determine a constructor"),
    ],
)
def test_malformed_chart_index_is_an_error(
    downloads: Downloads, web: Web, index: str, problem: str
) -> None:
    web.put("/charts/index.yaml", index)
    entry = downloads.chart(f"{web.url}/charts", "1.0.0", helm_path="there-is-no-such-helm")

    (error,) = downloads.refused(entry)

    assert problem in str(error)
    assert "internal" not in str(error)


def test_missing_certificate_file_is_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "mine.pem"))

    with pytest.raises(HttpError, match=r"REQUESTS_CA_BUNDLE names no file: .*mine\.pem") as caught:
        Server("https://127.0.0.1:1", token="sesame", timeout=30, pauses=()).cluster("c-1")

    assert "REQUESTS_CA_BUNDLE" in caught.value.hint
