"""`inventory show`, `components`, `packages` and `lint`: sources, forms, words and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.command_line import CommandLine

COMMODORE_YML = """\
classes:
  - .defaults
  - global.distribution.${facts:distribution}
  - global.cloud.${facts:cloud}
  - global.cloud.${facts:cloud}.${facts:region}
  - ${cluster:tenant}.${cluster:name}
"""
GLOBAL = {
    "commodore.yml": COMMODORE_YML,
    "defaults.yml": "parameters: {components: {one: {url: u, version: v1}}, of: defaults}\n",
    "distribution/k3s.yml": "parameters: {of: k3s}\n",
    "cloud/aws.yml": "parameters: {of: '${facts:distribution} on aws'}\n",
    "cloud/aws/eu.yml": "parameters: {zone: '${facts:zone}'}\n",
}
KNOWN = "parameters: {facts: {distribution: k3s, cloud: aws, region: eu, zone: a}}\n"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(autouse=True)
def hierarchy(tmp_path: Path) -> None:
    """A global configuration, a tenant's and a file of values, below the current folder."""
    write(tmp_path / "global", GLOBAL)
    write(tmp_path / "tenant", {"c-1.yml": "parameters: {of: the cluster}\n"})
    write(tmp_path, {"known.yml": KNOWN})
    write(tmp_path, {"ids.yml": "parameters: {cluster: {tenant: t-1, name: c-1}}\n"})


def shown(commodore: CommandLine, *words: str) -> dict[str, object]:
    ran = commodore("inventory", "show", *words, "-o", "json")
    assert ran.code == 0, ran.err
    parameters: dict[str, object] = json.loads(ran.out)
    return parameters


def test_inventory_commands_write_nothing(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"base.yml": KNOWN})
    before = state_of(tmp_path)

    for engine in ("native", "reference"):
        monkeypatch.setenv("COMMODORE_ENGINE", engine)
        shown(commodore, "global", "tenant", "-f", "base.yml")
    commodore("-v", "inventory", "show", "global", "-A", "-v")
    commodore("inventory", "lint", "global", "tenant")

    assert state_of(tmp_path) == before


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_show_applies_given_fact_to_working_directory(
    commodore: CommandLine, work: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_ENGINE", engine)
    before = state_of(work)

    ran = commodore(
        *("-d", str(work), "inventory", "show", "--fact", "region=nowhere", "-o", "json")
    )

    assert (ran.code, json.loads(ran.out)["facts"]["region"]) == (0, "nowhere")
    assert "class" in ran.err
    assert state_of(work) == before


def test_show_of_cluster_leaves_working_directory_alone(
    commodore: CommandLine, facts: str, tmp_path: Path, work: Path
) -> None:
    before = state_of(tmp_path)
    words = ("--cluster", "c-demo-1", "--api-url", facts)

    own = shown(commodore, *words)
    components = commodore("inventory", "components", *words)
    ingress = shown(commodore, *words, "--target", "ingress")
    other = commodore("inventory", "show", *words, "--target", "nothing")

    compiled = commodore("-d", str(work), "inventory", "show", "-o", "json")
    assert own == json.loads(compiled.out)
    assert own["components"] == yaml.safe_load(components.out)
    assert ingress["_instance"] == "ingress"
    assert "target nothing not found\n  cluster c-demo-1" in other.err
    assert state_of(tmp_path) == before


def test_lint_of_demo_reports_no_problem(
    commodore: CommandLine, demo: Path, tmp_path: Path
) -> None:
    for name in ("global", "t-demo"):
        git(tmp_path, "clone", "--quiet", str(demo / "repos" / f"{name}.git"), f"own/{name}")

    ran = commodore("inventory", "lint", "own/global", "own/t-demo")

    assert (ran.code, ran.out, ran.err) == (0, "No errors 🎉 ✨\n", "")


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }
