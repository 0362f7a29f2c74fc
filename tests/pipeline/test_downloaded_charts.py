"""Charts and artifacts: of repositories with an index, of registries, by way of helm."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
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


@pytest.mark.parametrize("absolute", [True, False])
def test_chart_of_exact_version_is_requested_once(
    downloads: Downloads, web: Web, *, absolute: bool
) -> None:
    charts = {("own", v): chart_archive("own", v) for v in ("1.0.0", "1.1.0", "2.0.0-rc.1")}
    source = chart_repository(web, charts, absolute=absolute)

    downloads.fetch(downloads.chart(source, "1.0.0"))
    first = [path for path, _ in web.answers()]
    downloads.fetch(downloads.chart(source, "1.0.0"))

    assert first == ["/charts/index.yaml", "/charts/files/own-1.0.0.tgz"]
    assert web.answers() == []
    assert "version: 1.0.0" in downloads.files("chart")["Chart.yaml"]


def test_chart_without_version_follows_newest(downloads: Downloads, web: Web) -> None:
    charts = {("own", v): chart_archive("own", v) for v in ("1.0.0", "1.1.0", "2.0.0-rc.1")}
    source = chart_repository(web, charts)
    downloads.fetch(downloads.chart(source))
    newest = downloads.files("chart")["Chart.yaml"]
    web.answers()
    downloads.fetch(downloads.chart(source))
    again = web.answers()
    chart_repository(web, {**charts, ("own", "1.2.0"): chart_archive("own", "1.2.0", extra="x")})

    downloads.fetch(downloads.chart(source))

    assert "version: 1.1.0" in newest
    assert again == [("/charts/index.yaml", 304)]
    assert "version: 1.2.0" in downloads.files("chart")["Chart.yaml"]


def test_changed_version_replaces_chart(downloads: Downloads, web: Web) -> None:
    charts = {
        ("own", "1.0.0"): chart_archive("own", "1.0.0", templates__gone="x"),
        ("own", "1.1.0"): chart_archive("own", "1.1.0"),
    }
    source = chart_repository(web, charts)
    downloads.fetch(downloads.chart(source, "1.0.0"))

    downloads.fetch(downloads.chart(source, "1.1.0"))

    assert "templates/gone" not in downloads.files("chart")


def test_chart_with_other_digest_than_index_is_reported(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
    changed = chart_archive("own", "1.0.0", templates__more="x")
    web.put("/charts/files/own-1.0.0.tgz", changed)

    (error,) = downloads.refused(downloads.chart(source, "1.0.0"), strict=True)
    (again,) = downloads.refused(downloads.chart(source, "1.0.0"), strict=True)
    downloads.fetch(downloads.chart(source, "1.0.0"))

    assert str(again) == str(error)
    assert hashlib.sha256(changed).hexdigest() in str(error)
    assert str(error) in caplog.text


def test_missing_chart_version_lists_available_ones(downloads: Downloads, web: Web) -> None:
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})

    (error,) = downloads.refused(downloads.chart(source, "3.0.0", **NO_HELM))

    assert "no version 3.0.0 of chart own" in str(error)
    assert "1.0.0" in error.hint


def test_credentials_are_not_among_the_arguments_of_the_program(
    downloads: Downloads, tmp_path: Path
) -> None:
    helm = tmp_path / "helm"
    helm.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    helm.chmod(0o755)
    source = "s3://me:c4nary@bucket/charts"

    (error,) = downloads.refused(downloads.chart(source, "1.0.0", helm_path=str(helm)))

    assert not (tmp_path / "calls").exists()
    assert "c4nary" not in f"{error} {error.where} {error.__notes__}"


def test_unsupported_source_is_fetched_by_helm(downloads: Downloads, tmp_path: Path) -> None:
    helm = tmp_path / "bin/helm"
    helm.parent.mkdir()
    helm.write_text(
        f"""#!/bin/sh
echo "$@" >> {tmp_path}/calls
mkdir "$3/own" && echo 'name: own' > "$3/own/Chart.yaml"
"""
    )
    helm.chmod(0o755)
    entry = downloads.chart("s3://bucket/charts", "1.0.0", helm_path=str(helm))

    downloads.fetch(entry)
    downloads.fetch(entry)

    (call,) = (tmp_path / "calls").read_text().splitlines()
    words = call.split()
    assert [*words[:2], *words[3:]] == [
        "pull", "--destination", "--untar", "--version", "1.0.0",
        "--repo", "s3://bucket/charts", "own",
    ]  # fmt: skip
    assert downloads.files("chart") == {"Chart.yaml": "name: own\n"}


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


@pytest.mark.parametrize("named", ["path", "name"])
def test_helm_path_of_component_gets_few_variables(
    downloads: Downloads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    helm = tmp_path / "bin/helm9"
    helm.parent.mkdir()
    helm.write_text(f"#!/bin/sh\nenv > {tmp_path}/env\nexit 1\n")
    helm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{helm.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DB_URL", "c4nary")
    wanted = str(helm) if named == "path" else helm.name

    downloads.refused(downloads.chart("s3://bucket/charts", "1.0.0", helm_path=wanted))

    assert ("c4nary" in (tmp_path / "env").read_text()) == (named == "name")
