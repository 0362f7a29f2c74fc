"""Clusters of real size, exported and compiled in a network namespace without interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.bench.generated import generated, generator
from tests.support.scenarios.exported import ExportedCluster, namespaces_are_allowed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not namespaces_are_allowed(), reason="namespaces are not allowed here"),
]


@pytest.mark.parametrize("cluster", ["c-demo-1", "c-demo-2"])
def test_demo_compiles_same_from_export(cluster: str, tmp_path: Path) -> None:
    demo = write_demo(tmp_path / "demo").directory
    exported = ExportedCluster(
        cluster, tmp_path, {"COMMODORE_API_URL": str(demo / "facts"), "COMMODORE_API_TOKEN": "x"}
    )

    path = exported.export()
    demo.rename(tmp_path / "away")

    assert exported.differences(path) == []


def test_forty_components_compile_same_from_export(tmp_path: Path) -> None:
    if not generator().is_file():
        pytest.skip("there is no generator: name one in COMMODORE_GENERATOR")
    with generated(tmp_path / "M", "M") as cluster:
        programs = {"PATH": f"{cluster.programs}:/usr/local/bin:/usr/bin:/bin"}
        variables = {"COMMODORE_API_URL": cluster.api_url, "COMMODORE_API_TOKEN": "x"}
        exported = ExportedCluster(cluster.id, tmp_path, {**variables, **programs}, programs)
        path = exported.export()
    (tmp_path / "M/repos").rename(tmp_path / "away")

    assert exported.differences(path) == []
