"""Exports of locks: compiled elsewhere, without a network, to the same bytes; damage is found."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.workflows.lock import export, resolve
from tests.support.scenarios.locked import LockedCluster, files_below, settings_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sample(3)


@pytest.fixture
def cluster(compiled: LockedCluster) -> LockedCluster:
    """The cluster after its first compile."""
    return compiled


def _export(cluster: LockedCluster, name: str) -> Path:
    config = cluster.fleet.config(download_cache=cluster.fleet.root / "cache")
    if not cluster.file.exists():
        resolve.create(config, "c-one", cluster.file)
    export.export(config, cluster.file, cluster.fleet.root / name)
    return cluster.fleet.root / name


def _compile(cluster: LockedCluster, path: Path) -> dict[str, str]:
    paths = WorkPaths(cluster.fleet.root / "elsewhere")
    with export.from_export(cluster.fleet.config(paths=paths), path) as config:
        return cluster.compile(**settings_of(config))


@pytest.mark.parametrize("name", ["it", "it.tar", "it.tar.gz"])
@pytest.mark.long
def test_export_compiles_alone_to_same_catalog(cluster: LockedCluster, name: str) -> None:
    cluster.move("component", "2")
    first = cluster.compile()
    path = _export(cluster, name)
    for folder in ("repos", "remotes", "facts", "git.example.com", "work", "cache"):
        shutil.move(cluster.fleet.root / folder, cluster.fleet.root / f"{folder}-away")
    cluster.web.answers()

    assert _compile(cluster, path) == first
    assert cluster.web.answers() == []
    assert oct(path.stat().st_mode)[-2:] == "00"


def test_export_contains_unpinned_tenant(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    first = cluster.compile()
    path = _export(cluster, "it.tar")
    cluster.move("tenant", "2")
    assert cluster.compile() != first

    assert _compile(cluster, path) == first
    with export.from_export(cluster.fleet.config(), path) as config:
        assert (
            cluster.compile(**settings_of(config)) == first
        )  # where another commit is checked out


@pytest.mark.long
def test_export_compiles_same_without_network_interfaces(
    cluster: LockedCluster,
) -> None:
    if subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode:
        pytest.skip("namespaces are not allowed here")
    first = cluster.made()
    path, home = _export(cluster, "it.tar.gz"), cluster.fleet.root / "home"
    home.mkdir()
    for folder in ("repos", "remotes", "facts", "git.example.com", "work", "cache"):
        shutil.move(cluster.fleet.root / folder, cluster.fleet.root / f"{folder}-away")
    command = ("-m", "commodore_py", "-d", str(cluster.fleet.root / "new"), "catalog", "compile")
    environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"}

    done = subprocess.run(
        ["unshare", "-rn", sys.executable, *command, "c-one", "--from-export", str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert files_below(cluster.fleet.root / "new/compiled") == first


@pytest.mark.parametrize("how", ["damaged", "missing", "surplus", "link"])
def test_altered_export_member_is_named(cluster: LockedCluster, how: str) -> None:
    path = _export(cluster, "it")
    member = next((path / "git").iterdir())
    match how:
        case "damaged":
            member.write_bytes(member.read_bytes()[:-1] + b"x")
        case "missing":
            member.unlink()
        case "surplus":
            member = path / "more"
            member.write_text("x")
        case _:
            member = path / "more"
            member.symlink_to("/etc/passwd")

    with pytest.raises(CommodoreError, match=member.name):
        _compile(cluster, path)

    assert not (cluster.fleet.root / "elsewhere").exists()


def test_incomplete_lock_is_not_exported(cluster: LockedCluster) -> None:
    tree = cluster.lock.blocks["component", "web"].text("tree")
    cluster.file.write_text(cluster.file.read_text().replace(tree, "0" * 40))

    with pytest.raises(CommodoreError) as caught:
        _export(cluster, "it.tar")

    assert caught.value.exit_code == 6
    assert not (cluster.fleet.root / "it.tar").exists()


def test_export_with_other_lock_is_refused(cluster: LockedCluster) -> None:
    path = _export(cluster, "it")
    cluster.move("component", "2")
    other = cluster.fleet.root / "other.lock"
    cluster.compile(lock_file=other)

    with (
        pytest.raises(CommodoreError) as caught,
        export.from_export(cluster.fleet.config(lock_file=other), path),
    ):
        pass

    assert caught.value.exit_code == 6


@pytest.mark.long
def test_manifest_contains_schema(cluster: LockedCluster) -> None:
    manifest = json.loads((_export(cluster, "it") / "manifest.json").read_text())

    assert manifest["schema"] == "lock-archive/v1"
    assert "inputs.lock" in manifest["members"]
