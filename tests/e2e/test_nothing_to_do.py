"""The installed command, real tools, a server: a rerun starts nothing and downloads nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.servers import charts, web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.fleet import Fleet
    from tests.support.servers.web import Web

pytestmark = pytest.mark.e2e

COUNTED = """\
#!/bin/sh
echo "{name} $*" >> {log}
exec {real} "$@"
"""
CLASS = """\
parameters:
  kapitan:
    dependencies:
      - type: helm
        source: @CHARTS@
        chart_name: web
        version: 1.2.3
        output_path: ${_base_directory}/charts/web
      - type: https
        source: @FILE@
        output_path: ${_base_directory}/files/one.yaml
    compile:
      - input_type: helm
        input_paths: ["${_base_directory}/charts/web"]
        output_path: web/chart
        helm_params: {name: web, namespace: web}
      - input_type: copy
        input_paths: ["${_base_directory}/files/one.yaml"]
        output_path: web/file
      - input_type: external
        input_paths: ["${_kustomize_wrapper}"]
        output_path: .
        env_vars: {INPUT_DIR: "${_base_directory}/kustomization"}
        args: ["\\\\${compiled_target_dir}/web/kustomized"]
"""
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"


class Counted:
    """Programs that are counted, and the command that may start them."""

    def __init__(self, root: Path, fleet: Fleet) -> None:
        self._log, self._fleet = root / "started", fleet
        folder = root / "counted"
        folder.mkdir()
        for name in ("helm", "kustomize"):
            real = shutil.which(name)
            if real is None:
                pytest.skip(f"there is no {name}: `commodore tool install {name}` gets one")
            (folder / name).write_text(COUNTED.format(name=name, log=self._log, real=real))
            (folder / name).chmod(0o755)
        self.path = f"{folder}{os.pathsep}{os.environ['PATH']}"

    def compile(self, *more: str) -> subprocess.CompletedProcess[str]:
        """Compile the cluster once."""
        words = ("-d", str(self._fleet.work), "catalog", "compile", CLUSTER, "-v", *more)
        facts = ("--api-url", str(self._fleet.root / "facts"))
        return subprocess.run(
            [sys.executable, "-m", "commodore_py", *words, *facts],
            env={**os.environ, "PATH": self.path},
            capture_output=True,
            check=True,
            text=True,
        )

    def started(self) -> list[str]:
        """Programs that were started since this was asked last."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]


@pytest.fixture
def server() -> Iterator[Web]:
    with web.serve() as served:
        yield served


@pytest.fixture
def counted(tmp_path: Path, server: Web) -> Counted:
    packed = charts.chart_archive("web", "1.2.3")
    repository = charts.chart_repository(server, {("web", "1.2.3"): packed})
    file = server.put("/one.yaml", MANIFEST, content_type="text/yaml")
    fleet = make_fleet(
        tmp_path,
        web={
            "class/web.yml": CLASS.replace("@CHARTS@", repository).replace("@FILE@", file),
            "kustomization/kustomization.yaml": "namePrefix: x-\nresources: [one.yaml]\n",
            "kustomization/one.yaml": MANIFEST,
        },
    )
    return Counted(tmp_path, fleet)


def test_a_rerun_with_charts_kustomize_and_downloads(counted: Counted, server: Web) -> None:
    first = counted.compile()
    assert {*counted.started()} >= {"helm", "kustomize"}
    assert ("/one.yaml", 200) in server.answers()

    again = counted.compile()

    assert "nothing changed since" in again.stderr
    assert again.stdout == first.stdout
    assert counted.started() == []
    assert server.answers() == [("/one.yaml", 304)]  # asked, but not downloaded


def test_a_download_that_changes_is_downloaded(counted: Counted, server: Web) -> None:
    counted.compile()
    server.put("/one.yaml", MANIFEST.replace("one", "two"), content_type="text/yaml")

    again = counted.compile()

    assert "nothing changed since" not in again.stderr
    assert "a download" in again.stderr


def test_the_second_run_of_the_playground_has_nothing_to_do(tmp_path: Path) -> None:
    demo = write_demo(tmp_path / "demo")

    def compile_one() -> subprocess.CompletedProcess[str]:
        words = ("-d", str(tmp_path / "work"), "catalog", "compile", demo.clusters[0], "-v")
        facts = ("--api-url", str(tmp_path / "demo/facts"))
        command = [sys.executable, "-m", "commodore_py", *words, *facts]
        return subprocess.run(command, capture_output=True, check=True, text=True)

    first, second = compile_one(), compile_one()

    assert "nothing changed since" not in first.stderr
    assert "nothing changed since" in second.stderr
    assert second.stdout == first.stdout
