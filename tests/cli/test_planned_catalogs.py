"""Catalogs of clusters with a plan; and without one, as if there were no plans."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.adapters.git.program import git
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLASS = "inventory/classes/t-demo/common.yml"
REMOTE = (
    "{server: 'https://x.example.com', credentials: {bearerToken: '?{vaultkv:a/b}'},"
    " kubeconfig: {secret: access, namespace: capi}}"
)
PLAN = (
    "{serial: [certificates, {when: {if: {exists: nothing}, then: backup}},"
    " {on: {cluster: far, do: web-shop}}]}"
)
REMOVED = (
    "instance backup is removed: its condition is false; 2 objects leave the catalog"
    " (data-loss: Namespace backup: everything in it is deleted)"
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


def test_compile_writes_catalog_in_plan_order(commodore: CommandLine, playground: Path) -> None:
    facts = str(playground / "facts")
    words = ("-d", str(playground), "catalog", "compile", "c-demo-1", "--api-url", facts)
    assert commodore(*words, "--push").code == 0
    manifests = playground / "catalog" / "manifests"
    before = files_in(manifests)
    set_commodore(playground, delivery=f"{{driver: plain, clusters: {{far: {REMOTE}}}}}", plan=PLAN)

    ran = commodore(*words, "--local")
    again = commodore(*words, "--local")
    refused = commodore(*words, "--local", "--strict")

    assert (ran.code, again.code, refused.code) == (0, 0, 1)
    after = files_in(manifests)
    assert {path for path in before.keys() ^ after.keys() if "backup/" not in path} == {
        "plan/order.json"
    }
    assert not (manifests / "backup").exists()
    assert (manifests / "backup-archive").exists()
    assert {path: after[path] for path in after.keys() & before.keys()} == {
        path: one for path, one in before.items() if path in after
    }
    assert (playground / "catalog" / "refs" / "a" / "b").exists()
    assert not (playground / "compiled" / "backup").exists()
    assert REMOVED in " ".join(ran.err.split())
    assert REMOVED in " ".join(again.err.split())
    assert "not in the plan" in refused.err
    assert git(playground / "catalog", "diff", "--cached", "--name-only") == ""


def test_objects_of_removed_instance_are_counted(commodore: CommandLine, playground: Path) -> None:
    facts = ("--api-url", str(playground / "facts"))
    here = ("-d", str(playground))
    assert commodore(*here, "catalog", "compile", "c-demo-1", *facts, "--push").code == 0
    plan = "{serial: [certificates, {when: {if: with.backup, then: backup}}]}"
    set_commodore(playground, delivery="{driver: plain, unlisted: last}", plan=plan)
    file = playground / CLASS
    file.write_text(file.read_text().replace("  backup:", "  with: {backup: true}\n  backup:", 1))

    before = commodore(*here, "plan", "show")
    dry = commodore(*here, "edit", "set", "with.backup", "false", "--dry-run", *facts)
    edited = commodore(*here, "edit", "set", "with.backup", "false", *facts)
    file.write_text(file.read_text().replace("with: {backup: true}", "with: {backup: false}"))
    shown = commodore(*here, "plan", "show")
    checked = commodore(*here, "plan", "check")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "backup"}}
    (playground / "compiled/certificates/taken.yaml").write_text(json.dumps(namespace))
    taken = commodore(*here, "plan", "show")

    assert "removed" not in before.out
    assert REMOVED in " ".join(dry.err.split())
    assert edited.code == 1
    assert "the edit would lose data: Namespace backup" in edited.err
    assert f"removed: backup: {REMOVED.partition('; ')[2]}\n" in shown.out
    assert REMOVED in checked.out
    assert "removed: backup: 1 object leaves the catalog\n" in taken.out


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


def test_invalid_plan_fails_compile_before_writing(
    commodore: CommandLine, work: Path, facts: str
) -> None:
    before, text = files_in(work / "catalog"), (work / CLASS).read_text()
    set_commodore(work, plan="{serial: [certificate, {seriel: [backup]}]}")
    try:
        ran = commodore(
            *("-d", str(work), "catalog", "compile", "c-demo-1", "--local"), "--api-url", facts
        )
    finally:
        (work / CLASS).write_text(text)

    assert ran.code == 1
    assert "common.yml:" in ran.err
    assert "did you mean serial?" in ran.err
    assert files_in(work / "catalog") == before


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
