"""Charts and artifacts of registries."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.charts import chart_archive, tar_archive
from tests.support.servers.registry import Registry
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads
    from tests.support.servers.web import Web

NO_HELM = {"helm_path": "there-is-no-such-helm"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.mark.parametrize("login", [None, ("me", "secret")])
def test_chart_is_fetched_from_registry(
    downloads: Downloads, web: Web, empty_home: Path, login: tuple[str, str] | None
) -> None:
    registry = Registry(web, login, anonymous=False)
    registry.push("charts/own", "1.0.0_build.1", {"own.tgz": chart_archive("own", "1.0.0+build.1")})
    (empty_home / ".docker").mkdir()
    auths = {registry.host: {"username": "me", "password": "secret"}}
    (empty_home / ".docker/config.json").write_text(json.dumps({"auths": auths if login else {}}))
    entry = downloads.chart(f"oci://{registry.host}/charts/own", "1.0.0+build.1")

    downloads.fetch(entry)
    requested = [path.partition("?")[0] for path, _ in web.answers()]
    downloads.fetch(entry)

    assert requested[:3] == ["/v2/charts/own/manifests/1.0.0_build.1", "/token", requested[0]]
    assert web.answers() == []
    assert "version: 1.0.0+build.1" in downloads.files("chart")["Chart.yaml"]


def test_failed_registry_authentication_is_reported(downloads: Downloads, web: Web) -> None:
    registry = Registry(web, ("me", "secret"))
    registry.push("charts/own", "1.0.0", {"own.tgz": chart_archive("own", "1.0.0")})

    (error,) = downloads.refused(
        downloads.chart(f"oci://{registry.host}/charts/own", "1.0.0", **NO_HELM)
    )

    assert "answered 401" in str(error)


def test_newest_matching_chart_of_registry_is_fetched(downloads: Downloads, web: Web) -> None:
    registry = Registry(web)
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "latest"):
        registry.push("charts/own", version, {"own.tgz": chart_archive("own", version)})

    downloads.fetch(downloads.chart(f"oci://{registry.host}/charts/own", "^1.2"))

    assert "version: 1.10.0" in downloads.files("chart")["Chart.yaml"]


def test_registry_blob_with_wrong_digest_is_refused(downloads: Downloads, web: Web) -> None:
    registry = Registry(web)
    chart = chart_archive("own", "1.0.0")
    registry.push("charts/own", "1.0.0", {"own.tgz": chart})
    digest = hashlib.sha256(chart).hexdigest()
    web.put(f"/v2/charts/own/blobs/sha256:{digest}", chart_archive("own", "6.6.6"))

    (error,) = downloads.refused(
        downloads.chart(f"oci://{registry.host}/charts/own", "1.0.0", **NO_HELM)
    )

    assert "not what was promised" in str(error)
    assert downloads.files() == {"tracked.txt": "tracked\n"}


def test_files_of_registry_artifact_are_fetched(downloads: Downloads, web: Web) -> None:
    registry = Registry(web)
    digest = registry.push(
        "files/x",
        "v1",
        {"a.txt": b"a", "dir/b.txt": b"b", "packed.tgz": tar_archive({"inner/c": "c"})},
        {"a.txt": "text/plain", "dir/b.txt": "text/plain", "packed.tgz": "application/x"},
    )
    entry = {"type": "oci", "output_path": str(downloads.place / "out")}

    downloads.fetch({**entry, "source": f"{registry.host}/files/x:v1"})
    everything = downloads.files("out")
    downloads.fetch({**entry, "source": f"{registry.host}/files/x@{digest}", "subpath": "inner"})
    web.answers()
    downloads.fetch({**entry, "source": f"{registry.host}/files/x@{digest}", "subpath": "inner"})

    assert everything == {"a.txt": "a", "dir/b.txt": "b", "inner/c": "c"}
    assert downloads.files("out") == {"c": "c"}
    assert web.answers() == []
