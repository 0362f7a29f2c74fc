"""Without a network: what is here is used, what is missing is listed, nobody is asked."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py import pipeline
from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.component import ComponentFolder
from commodore_py.workflows.authoring.component_compile import CompileRequest, compile_component
from tests.support.authoring import make_component_clone
from tests.support.builders import errors_in, make_config, make_repository, url_of
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.fleet import Fleet
    from tests.support.servers.web import Web

_CONNECTED: list[object] = []
_WATCHING: list[bool] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _WATCHING:
        return
    if event == "socket.getaddrinfo" or (
        event == "socket.connect" and isinstance(arguments[1], tuple)
    ):
        _CONNECTED.append(arguments)


sys.addaudithook(_watch)


@contextmanager
def no_connections() -> Iterator[None]:
    """Nothing in here may look for anybody on a network."""
    _CONNECTED.clear()
    _WATCHING.append(True)
    try:
        yield
    finally:
        _WATCHING.clear()
    assert not _CONNECTED


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


MAIN = """
local kap = import 'lib/kapitan.libjsonnet';
local data = std.parseJson(kap.yaml_load('vendor/lib/fetched/data.yaml'));
{ out: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { is: data.is } } }
"""


def _fleet(root: Path, web: Web) -> Fleet:
    repository = make_repository(root / "remotes/r.git", {"a": "1"})
    archive = web.put(
        "/a.tgz", tar_archive({"data.yaml": "is: fetched\n"}), content_type="application/gzip"
    )
    charts = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
    wanted = [
        {"type": "https", "source": archive, "output_path": "vendor/lib/fetched", "unpack": True},
        {"type": "git", "source": url_of(repository), "output_path": "${_base_directory}/r"},
        {
            "type": "helm",
            "source": charts,
            "chart_name": "own",
            "output_path": "${_base_directory}/charts/own",
        },
    ]
    entry = {
        "input_paths": ["${_base_directory}/component/main.jsonnet"],
        "input_type": "jsonnet",
        "output_path": "${_instance}",
    }
    kapitan = {"dependencies": wanted, "compile": [entry]}
    classes = yaml.safe_dump({"parameters": {"kapitan": kapitan}})
    return make_fleet(root, app={"class/app.yml": classes, "component/main.jsonnet": MAIN})


def _compile(fleet: Fleet, **settings: object) -> dict[str, str]:
    config = fleet.config(download_cache=fleet.root / "cache", **settings)
    pipeline.compile_catalog(config, CLUSTER, lambda _: False)
    compiled = fleet.work / "compiled"
    return {
        str(path.relative_to(compiled)): path.read_text()
        for path in compiled.rglob("*")
        if path.is_file()
    }


def test_vendored_library_folder_is_available_to_components(tmp_path: Path, web: Web) -> None:
    fleet = _fleet(tmp_path, web)

    first = _compile(fleet)
    second = _compile(fleet)

    assert "is: fetched" in first["app/app/out.yaml"]
    assert second == first


def test_unchanged_run_downloads_nothing(tmp_path: Path, web: Web) -> None:
    fleet = _fleet(tmp_path, web)
    _compile(fleet)
    web.answers()

    _compile(fleet)

    assert {status for _, status in web.answers()} == {304}


@pytest.mark.parametrize("lost", [False, True])
def test_offline_compile_is_identical(tmp_path: Path, web: Web, *, lost: bool) -> None:
    fleet = _fleet(tmp_path, web)
    online = _compile(fleet)
    web.answers()
    if lost:
        (fleet.work / "vendor/lib/fetched/data.yaml").unlink()
        (fleet.work / "dependencies/app/charts/own/Chart.yaml").unlink()
    # Programs such as git are not watched: they must find nobody either.
    for folder in ("repos", "remotes"):
        (fleet.root / folder).rename(fleet.root / f"{folder} that are away")

    with no_connections():
        offline = _compile(fleet, local=True, offline=True)

    assert offline == online
    assert web.answers() == []


def test_offline_lists_missing_downloads(tmp_path: Path, web: Web) -> None:
    fleet = _fleet(tmp_path, web)
    _compile(fleet)
    (fleet.root / "cache").rename(fleet.root / "elsewhere")

    with no_connections(), pytest.raises(CommodoreError) as caught:
        _compile(fleet, local=True, offline=True)

    errors = errors_in(caught.value)
    assert len(errors) == 3
    assert all("is not available offline" in str(error) for error in errors)
    assert all("class/app.yml" in error.where for error in errors)


LIBRARY = """
local library = import 'library/main.libsonnet';
{ out: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: library.name } } }
"""


def _component(tmp_path: Path) -> ComponentFolder:
    source = {"git": {"remote": "https://git.example.com/me/library.git", "subdir": ""}}
    wanted = {"dependencies": [{"source": source, "version": "master"}], "legacyImports": True}
    files = {"jsonnetfile.json": json.dumps(wanted), "component/main.jsonnet": LIBRARY}
    return ComponentFolder.find(make_component_clone(tmp_path, "app", files), ())


def test_component_compiles_offline_with_present_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make_repository(
        tmp_path / "git.example.com/me/library.git", {"main.libsonnet": "{ name: 'found' }"}
    )
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f'[url "file://{library.parent}/"]\n insteadOf = https://git.example.com/me/\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    component, wanted = _component(tmp_path), tmp_path / "out"
    config = make_config(tmp_path / "work", download_cache=tmp_path / "cache")
    online = compile_component(config, CompileRequest(component, wanted))
    library.rename(tmp_path / "gone")

    with no_connections():
        offline = compile_component(
            replace(config, offline=True), CompileRequest(component, wanted)
        )

    assert offline.tree == online.tree


def test_missing_libraries_are_reported_offline(tmp_path: Path) -> None:
    config = make_config(tmp_path / "work", download_cache=tmp_path / "cache", offline=True)

    with no_connections(), pytest.raises(CommodoreError) as caught:
        compile_component(config, CompileRequest(_component(tmp_path), tmp_path / "out"))

    assert "repository https://git.example.com/me/library.git is not available offline" in str(
        caught.value
    )
