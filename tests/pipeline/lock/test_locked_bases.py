"""Bases of kustomizations: locked like everything else, although kustomize fetches them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.workflows.lock import check, export, resolve
from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.scenarios.locked import LockedCluster, replace_history, settings_of

if TYPE_CHECKING:
    from pathlib import Path

# What kustomize does with a base: it adds a remote, and fetches one version.
_KUSTOMIZE = """#!/bin/bash
set -eu
build() {
  while read -r _ url; do
    case "$url" in
      *//*\\?ref=*)
        here=$(mktemp -d "$work/XXXXXX")
        place=${url#file://}; ref=${place##*=}; place=${place%\\?*}
        git -C "$here" init -q
        git -C "$here" remote add origin "file://${place%%//*}"
        git -C "$here" fetch -q --depth=1 origin "$ref"
        git -C "$here" checkout -q FETCH_HEAD
        build "$here/${place##*//}" ;;
      *) cat "$1/$url" ;;
    esac
  done < <(grep '^- ' "$1/kustomization.yaml")
}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
build "$2" > "$4/made.yaml"
"""
_OUTPUT = "web/web/made.yaml"


@pytest.fixture
def based(cluster: LockedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
    """A cluster with a kustomization on a base that has a base."""
    program = tmp_path / "bin/kustomize"
    program.parent.mkdir()
    program.write_text(_KUSTOMIZE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/local/bin:/usr/bin:/bin")
    for name in ("inner", "base"):
        make_repository(tmp_path / f"remotes/{name}.git", {"other.yaml": "x: 1\n"})
    _move(tmp_path, "1")
    inner = f"- file://{tmp_path}/remotes/inner.git//in?ref=master\n"
    commit_to(tmp_path / "remotes/base.git", {"in/kustomization.yaml": f"resources:\n{inner}"})
    entry = {
        "input_paths": [str(KUSTOMIZE_WRAPPER)],
        "input_type": "external",
        "output_path": ".",
        "env_vars": {"INPUT_DIR": "${_base_directory}/kustomize"},
        "args": ["\\${compiled_target_dir}/web"],
    }
    base = f"- file://{tmp_path}/remotes/base.git//in?ref=master\n"
    commit_to(
        cluster.fleet.repository("component-web"),
        {
            "class/web.yml": yaml.safe_dump({"parameters": {"kapitan": {"compile": [entry]}}}),
            "kustomize/kustomization.yaml": f"resources:\n{base}",
        },
    )
    cluster.configure("web")
    return cluster


def _move(root: Path, content: str) -> None:
    kustomization = "resources:\n- made.yaml\n"
    files = {"in/kustomization.yaml": kustomization, "in/made.yaml": f"of: '{content}'\n"}
    commit_to(root / "remotes/inner.git", files)


def test_bases_and_their_bases_do_not_move(based: LockedCluster, tmp_path: Path) -> None:
    first = based.compile()
    assert first[_OUTPUT] == "of: '1'\n"
    assert {name.rpartition("/")[2] for name in based.lock.of_kind("base")} == {
        "base.git@master",
        "inner.git@master",
    }
    _move(tmp_path, "2")

    assert based.compile(frozen=True) == first
    based.forget()
    assert based.compile(frozen=True) == first
    assert based.compile(lock_file=None)[_OUTPUT] == "of: '2'\n"
    assert [one.state for one in check.check_lock(based.fleet.config(), based.lock)].count(
        "behind"
    ) == 1


@pytest.mark.long
def test_update_of_kustomize_base_shows_change(based: LockedCluster, tmp_path: Path) -> None:
    based.compile()
    _move(tmp_path, "2")
    name = next(name for name in based.lock.of_kind("base") if "inner" in name)

    config = based.fleet.config(download_cache=tmp_path / "cache")
    (step,) = resolve.update(
        config, based.file, (f"base/{name}",), to="", dry_run=False, compare=True
    )

    assert step.change is not None
    assert [file.path for file in step.change.files] == ["manifests/web/made.yaml"]
    assert based.compile(frozen=True)[_OUTPUT] == "of: '2'\n"


def test_frozen_run_refuses_unlocked_kustomize_base(based: LockedCluster, tmp_path: Path) -> None:
    based.compile()
    other = f"resources:\n- {url_of(tmp_path / 'remotes/inner.git')}//in?ref=master\n"
    component = based.fleet.repository("component-web")
    commit_to(component, {"kustomize/kustomization.yaml": other})
    (step,) = resolve.update(
        based.fleet.config(download_cache=tmp_path / "cache"),
        based.file,
        ("web",),
        to="",
        dry_run=False,
        compare=True,
    )
    assert [name.rpartition("/")[2] for name in step.changes.removed] == ["base.git@master"]

    text = based.file.read_text()
    based.file.write_text(text.replace('[base."', '[base."x'))
    (error,) = based.refused(frozen=True)

    assert error.exit_code == 6
    assert "inner.git@master" in str(error)
    assert "kustomization.yaml:2" in error.where


def test_export_contains_kustomize_bases(based: LockedCluster, tmp_path: Path) -> None:
    first = based.compile()
    path = tmp_path / "it.tar"
    export.export(based.fleet.config(download_cache=tmp_path / "cache"), based.file, path)
    for folder in ("repos", "remotes", "facts", "git.example.com", "work"):
        shutil.move(tmp_path / folder, tmp_path / f"{folder}-away")

    elsewhere = WorkPaths(tmp_path / "elsewhere")
    with export.from_export(based.fleet.config(paths=elsewhere), path) as config:
        assert based.compile(**settings_of(config)) == first


def test_missing_commit_of_kustomize_base_is_named(based: LockedCluster, tmp_path: Path) -> None:
    based.compile()
    replace_history(tmp_path / "remotes/inner.git")
    git(tmp_path / "remotes/inner.git", "gc", "--quiet", "--prune=now")
    based.forget()

    with pytest.raises(CommodoreError, match="not found") as caught:
        based.run(frozen=True)

    assert any("inner.git@master" in note for note in caught.value.__notes__)
