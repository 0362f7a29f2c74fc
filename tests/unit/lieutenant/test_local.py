"""Local mode: the cluster as the last full compile left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import ApiObject
from commodore_py.lieutenant.cluster import cluster_of
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.model.cluster import Cluster, RepositoryRef
from tests.support.builders import make_config
from tests.support.lieutenant import cluster_object, problem_lines, tenant_object

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def paths(tmp_path: Path) -> WorkPaths:
    """A working directory in which c-1 was compiled."""
    paths = WorkPaths(tmp_path)
    paths.targets.mkdir(parents=True)
    (paths.targets / "cluster.yml").write_text("{}")
    paths.params_file.parent.mkdir(parents=True)
    paths.params_file.write_bytes(yaml.dump(compiled().parameters()))
    return paths


def compiled() -> Cluster:
    """The cluster as a full compile parses it."""
    return cluster_of(
        ApiObject(cluster_object(), name="cluster"), ApiObject(tenant_object(), name="tenant")
    )


def problems(paths: WorkPaths) -> list[str]:
    with pytest.raises(CommodoreError) as raised:
        load_cluster(make_config(paths.root, local=True), "c-1")
    return problem_lines(raised.value)


def test_what_a_full_compile_wrote_is_read_again(paths: WorkPaths) -> None:
    config = make_config(paths.root, local=True, api_url="https://never.received.example.org")

    nowhere = RepositoryRef(url="")

    assert load_cluster(config, "c-1") == compiled()._replace(
        global_repo=nowhere, tenant_repo=nowhere
    )


def test_revisions_given_go_into_the_record(paths: WorkPaths) -> None:
    config = make_config(paths.root, local=True, global_revision="a", tenant_revision="b")

    cluster = load_cluster(config, "c-1")

    assert cluster.global_repo == RepositoryRef("", "a")
    assert cluster.tenant_repo == RepositoryRef("", "b")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("targets/cluster.yml"),
        pytest.param("classes/params/cluster.yml"),
    ],
)
def test_a_missing_file_requires_a_full_compile(paths: WorkPaths, name: str) -> None:
    (paths.inventory / name).unlink()

    with pytest.raises(CommodoreError, match="not ready for --local") as raised:
        load_cluster(make_config(paths.root, local=True), "c-1")

    assert raised.value.where == str(paths.inventory / name)
    assert raised.value.hint == "compile c-1 once without --local"


def test_another_cluster_is_refused_and_both_named(paths: WorkPaths) -> None:
    with pytest.raises(CommodoreError, match="holds cluster c-1, not c-2") as raised:
        load_cluster(make_config(paths.root, local=True), "c-2")

    assert raised.value.where == str(paths.params_file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parameters: {}", [(1, "name is missing"), (1, "tenant is missing")]),
        ("parameters:\n  cluster:\n    name: c-1", [(2, "tenant is missing")]),
        ("parameters:\n  cluster: x", [(2, "must be a mapping, not a string")]),
        ("parameters:\n  cluster: {name: c-1, tenant: 1}", [(2, "must be a string, not a number")]),
        ("- 1", [(1, "expected a mapping, found a list")]),
    ],
)
def test_incomplete_parameters_are_reported(
    paths: WorkPaths, text: str, expected: list[tuple[int, str]]
) -> None:
    paths.params_file.write_text(text)

    found = problems(paths)

    for (line, what), problem in zip(expected, found, strict=True):
        assert problem.startswith(f"{paths.params_file}:{line}: ")
        assert what in problem
