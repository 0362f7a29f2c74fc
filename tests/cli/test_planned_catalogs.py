"""Catalogs of clusters with a plan; and without one, as if there were no plans."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLASS = "inventory/classes/t-demo/common.yml"
REMOTE = (
    "{server: 'https://x.example.com', credentials: {bearerToken: '?{vaultkv:a/b}'},"
    " kubeconfig: {secret: access, namespace: capi}}"
)
WITHOUT = """\
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("commodore_py.delivery") or name.endswith("plans"):
            raise ImportError(name)

sys.meta_path.insert(0, Refused())
from commodore_py.cli import run

sys.exit(run(sys.argv[1:]))
"""


def set_commodore(work: Path, **settings: str) -> None:
    lines = "".join(f"    {key}: {value}\n" for key, value in settings.items())
    file = work / CLASS
    file.write_text(
        file.read_text().replace("parameters:\n", f"parameters:\n  commodore:\n{lines}")
    )


def files_in(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.fixture
def playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A playground of its own: its configuration is changed."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "demo"
    write_demo(folder)
    return folder


@pytest.mark.long
def test_plan_of_demo_declares_used_namespaces(
    commodore: CommandLine, facts: str, tmp_path: Path
) -> None:
    here = ("-d", str(tmp_path / "trial"))
    assert commodore(*here, "catalog", "compile", "c-demo-2", "--api-url", facts).code == 0
    manifests = tmp_path / "trial/catalog/manifests"
    objects = [
        one
        for file in manifests.rglob("*.y*ml")
        for one in yaml.load_all(file.read_bytes(), name=str(file))
    ]

    checked = commodore(*here, "plan", "check")
    picture = commodore(*here, "plan", "show", "-o", "dot")

    assert checked.code == 0, checked.err
    assert "the plan is valid, 0 notices" in checked.err
    assert "resource/shop-namespace" in picture.out
    assert {one["metadata"]["name"] for one in objects if one["kind"] == "Application"} == {
        *("root", "argocd", "backup", "backup-archive", "certificates", "dashboards", "database"),
        *("logging", "monitoring", "plan-shop", "time-sync", "web-shop"),
    }
    defined = {
        one["spec"]["names"]["kind"] for one in objects if one["kind"] == "CustomResourceDefinition"
    }
    assert defined == {"ClusterIssuer", "PrometheusRule", "TimeSource"}
    created = {one["metadata"]["name"] for one in objects if one["kind"] == "Namespace"}
    used = {one["metadata"].get("namespace") for one in objects} - {None}
    assert used <= {*created, "argocd"}


@pytest.mark.long
def test_delivery_settings_without_plan_change_nothing(
    commodore: CommandLine, work: Path, facts: str, tmp_path: Path
) -> None:
    """Settings of the delivery and a plan that is null change no byte, and import nothing."""
    text = (work / CLASS).read_text()
    words = ("-d", str(work), "catalog", "compile", "c-demo-1", "--local", "--api-url", facts)
    try:
        assert commodore(*words, "--output-dir", str(tmp_path / "without")).code == 0
        set_commodore(work, delivery=f"{{driver: flux, clusters: {{far: {REMOTE}}}}}", plan="null")
        ran = subprocess.run(
            [sys.executable, "-c", WITHOUT, *words, "--output-dir", str(tmp_path / "with")],
            capture_output=True,
            check=False,
        )
    finally:
        (work / CLASS).write_text(text)

    assert ran.returncode == 0, ran.stderr.decode()
    with_settings, without = files_in(tmp_path / "with"), files_in(tmp_path / "without")
    # References are parameters, whatever uses them, as they are for Commodore.
    assert with_settings.pop("refs/a/b")
    assert with_settings == without
