"""What stops a compile before it begins: removed features, an unfit working directory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import commit_to, errors_in, git
from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.published import Published


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path, web={})


def push(config: Config, cluster: str = CLUSTER) -> Published:
    return compile_catalog(config, cluster, approve=lambda _: True)


def refused(fleet: Fleet, *, cluster: str = CLUSTER, local: bool = False) -> CommodoreError:
    with pytest.raises(CommodoreError) as caught:
        push(fleet.config(local=local), cluster)
    return caught.value


def test_removed_references_of_hierarchy_are_reported(
    fleet: Fleet,
) -> None:
    data = {"a": "${customer:name}", "b": "x-${cloud:region}", "c": "${cluster:dist}"}
    fleet.configure({"applications": ["web"], "parameters": {"web": {"data": data}}})

    error = refused(fleet)

    assert str(error) == "the hierarchy uses removed references: 3 problems"
    problems = {
        str(one): (one.where.removeprefix(f"{fleet.work}/"), one.hint) for one in errors_in(error)
    }
    tenant = f"inventory/classes/{TENANT}/common.yml: parameters.web.data"
    assert [where for where, _ in problems.values()] == [f"{tenant}.{key}" for key in "abc"]
    assert ["${customer:name}" in text for text in problems] == [True, False, False]
    assert "${cluster:tenant}" in next(iter(problems.values()))[1]
    assert all(hint for _, hint in problems.values())


@pytest.mark.parametrize("name", ["class/web.yml", "class/defaults.yml"])
def test_removed_references_of_a_component_are_reported(fleet: Fleet, name: str) -> None:
    repository = fleet.repository("component-web")
    content = yaml.safe_load(git(repository, "show", f"master:{name}"))
    content["parameters"].setdefault("web", {})["cloud"] = "${cloud:provider}"
    commit_to(repository, {name: yaml.safe_dump(content)})

    error = refused(fleet)

    assert error.where.endswith(f"dependencies/web/{name}: parameters.web.cloud")
    assert "${cloud:provider}" in str(error)
    assert "${facts:cloud}" in error.hint


def test_component_versions_parameter_is_reported_with_line(fleet: Fleet) -> None:
    values = "applications: [web]\nparameters:\n  component_versions:\n    web: {version: v1}\n"
    commit_to(fleet.repository("tenant"), {"common.yml": values})

    error = refused(fleet)

    assert "parameters.component_versions" in str(error)
    assert f"inventory/classes/{TENANT}/common.yml:" in error.where
    assert error.hint == "move its entries to parameters.components"


@pytest.mark.parametrize("name", ["targets/cluster.yml", "classes/params/cluster.yml"])
def test_local_mode_needs_a_compiled_cluster(fleet: Fleet, name: str) -> None:
    push(fleet.config())
    (fleet.work / "inventory" / name).unlink()

    error = refused(fleet, local=True)

    assert error.where == str(fleet.work / "inventory" / name)
    assert error.hint == "compile c-one once without --local"


def test_local_mode_refuses_another_cluster(fleet: Fleet) -> None:
    push(fleet.config())

    error = refused(fleet, cluster="c-two", local=True)

    assert str(error) == "this working directory holds cluster c-one, not c-two"
    assert error.where == str(fleet.work / "inventory/classes/params/cluster.yml")


def test_local_mode_recreates_links(fleet: Fleet) -> None:
    push(fleet.config())
    classes = fleet.work / "inventory/classes"
    for name in ("components", "defaults"):
        shutil.rmtree(classes / name)

    published = push(fleet.config(local=True))

    assert not published.change
    assert (classes / "components/web.yml").is_symlink()
    assert (classes / "defaults/web.yml").is_symlink()


@pytest.mark.parametrize("key", ["name", "tenant"])
def test_local_mode_needs_names_of_cluster_and_tenant(fleet: Fleet, key: str) -> None:
    push(fleet.config())
    file = fleet.work / "inventory/classes/params/cluster.yml"
    params = yaml.safe_load(file.read_text())
    del params["parameters"]["cluster"][key]
    file.write_text(yaml.safe_dump(params))

    error = refused(fleet, local=True)

    assert f"parameters.cluster.{key} is missing" in str(error)
    assert str(file) in error.where


def test_refused_compile_leaves_catalog_and_remote_unchanged(fleet: Fleet) -> None:
    commit = push(fleet.config()).commit
    fleet.configure({"applications": ["web"], "parameters": {"component_versions": {"web": {}}}})

    refused(fleet)

    assert git(fleet.catalog, "rev-parse", "master") == commit
    assert git(fleet.work / "catalog", "rev-parse", "HEAD") == commit
    assert (fleet.work / "catalog/manifests/web/out.yaml").is_file()
