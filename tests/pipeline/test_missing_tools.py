"""Compiles that need a program which is missing, or which fails."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.tool_releases import program_script, write_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NEEDED = ("git", "sh", "bash", "env", "which", "dirname", "basename", "mkdir")
LIBRARY = "https://git.example.com/org/lib.git"
WRAPPER: dict[str, Any] = {
    "input_type": "external",
    "input_paths": ["${_kustomize_wrapper}"],
    "output_path": ".",
    "env_vars": {"INPUT_DIR": "${_base_directory}/kustomization"},
    "args": ["\\${compiled_target_dir}/${_instance}"],
}
ENTRY = "target web, parameters.kapitan.compile[0]"
CHART = {
    "input_type": "helm",
    "input_paths": ["${_base_directory}/chart"],
    "output_path": "${_instance}",
    "helm_params": {"namespace": "web", "name": "web"},
}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs on PATH, without any of the tools."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def failure(tmp_path: Path, files: Mapping[str, str], **settings: str | bool) -> CommodoreError:
    fleet = make_fleet(tmp_path, web=files)
    with pytest.raises(CommodoreError) as caught:
        compile_catalog(fleet.config(**settings), CLUSTER, approve=lambda _: False)
    assert caught.value.exit_code == 1
    return caught.value


def compiling(*entries: Mapping[str, object]) -> dict[str, str]:
    """A component's class with these compile entries."""
    parameters = {"kapitan": {"compile": list(entries)}}
    return {"class/web.yml": yaml.safe_dump({"parameters": parameters})}


def wanting_a_library() -> dict[str, str]:
    source = {"git": {"remote": LIBRARY, "subdir": ""}}
    content = {"version": 1, "dependencies": [{"source": source, "version": "main"}]}
    return {"jsonnetfile.json": json.dumps(content)}


@pytest.mark.usefixtures("programs")
def test_unavailable_library_is_skipped_with_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    main = {"component/main.jsonnet": "import 'git.example.com/org/lib/main.libsonnet'"}
    entry = {"input_type": "jsonnet", "input_paths": ["web/component/main.jsonnet"]}
    files = {**compiling({**entry, "output_path": "."}), **wanting_a_library(), **main}

    error = failure(tmp_path, files)

    assert "git.example.com/org/lib/main.libsonnet" in str(error)
    (warning,) = [one for one in caplog.messages if "is missing" in one]
    assert warning.startswith("Jsonnet library git.example.com/org/lib in main (required by web)")
    assert "cannot fetch its repository" in warning


@pytest.mark.usefixtures("programs")
def test_unavailable_library_fails_when_strict(tmp_path: Path) -> None:
    error = failure(tmp_path, wanting_a_library(), strict=True)

    assert "org/lib in main (required by web) is missing" in str(error)
    assert LIBRARY in str(error)
    assert error.where.endswith("dependencies/web/jsonnetfile.json:1")


@pytest.mark.usefixtures("programs")
def test_chart_without_helm_program_is_an_error(tmp_path: Path) -> None:
    chart = {"chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n"}

    error = failure(tmp_path, {**compiling(CHART), **chart})

    assert "helm not found in PATH" in str(error)
    assert "commodore tool install helm" in error.hint
    assert error.where.endswith(ENTRY)


@pytest.mark.usefixtures("programs")
def test_kustomization_without_kustomize_is_an_error(tmp_path: Path) -> None:
    error = failure(tmp_path, compiling(WRAPPER))

    assert "run-kustomize: kustomize not found in PATH: " in str(error)
    assert os.environ["PATH"] in str(error)
    assert "with status 7" in str(error)
    assert "INPUT_DIR=" in str(error)
    assert error.where.endswith(ENTRY)


@pytest.mark.parametrize(
    ("changes", "message"), [({"env_vars": {}}, "INPUT_DIR"), ({"args": []}, "first argument")]
)
def test_run_kustomize_without_variables_is_an_error(
    changes: dict[str, object], message: str, tmp_path: Path, programs: Path
) -> None:
    write_program(programs, "kustomize", program_script("v5.7.0"))

    error = failure(tmp_path, compiling({**WRAPPER, **changes}))

    reason = str(error).partition("failed: ")[2]
    assert reason.startswith("run-kustomize: ")
    assert message in reason
    assert error.where.endswith(ENTRY)
