"""What entries look at outside of the working directory counts for a run with nothing to do."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from commodore_py.lib import KUSTOMIZE_WRAPPER
from tests.support.scenarios.reruns import PAUSE, Reruns, make_reruns

from .test_up_to_date import edit_facts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.sample(2)

CHART = {
    "Chart.yaml": "{apiVersion: v2, name: chart, version: 1.0.0}",
    "templates/a.yaml": "a: '{{ .Release.Namespace }}'",
}
HELM = """#!/bin/sh
while [ "$1" != --output-dir ]; do shift; done
mkdir -p "$2/chart/templates"
{ echo "of: %s"; cat "$HOME/.kube/config"; } >"$2/chart/templates/a.yaml"
"""
_TOOL = '#!/bin/sh\necho "of: %s" >"$4/made.yaml"\n'


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in PATH, a home and a list of entries that is not there yet."""
    folder, home = tmp_path / "tools", tmp_path / "home"
    for one in (folder, home / ".kube"):
        one.mkdir(parents=True)
    (home / ".kube/config").write_text("in: one\n")
    git = os.path.realpath(next(f for f in _in_path("git") if os.access(f, os.X_OK)))
    (folder / "git").symlink_to(git)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    _program(folder / "helm3", HELM % "one")
    _program(folder / "kustomize", _TOOL % "one")
    return folder


def test_files_that_come_to_match_a_pattern(tools: Path, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "a.jsonnet").write_text("{ a: { of: 'one' } }")
    entry = f"{{input_paths: ['{folder}/*.jsonnet'], input_type: jsonnet, output_path: web}}"
    local = _settled(tmp_path, entry)

    (folder / "b.jsonnet").write_text("{ b: { of: 'two' } }")

    assert not local.run().rested
    assert (local.work / "compiled/web/web/b.yaml").read_text() == "of: two\n"
    assert tools.is_dir()


def _file_gone(folder: Path) -> None:
    (folder / "sub/a.jsonnet").unlink()


def _folder_in_its_place(folder: Path) -> None:
    (folder / "sub").rename(folder / "gone")
    (folder.parent / "other").rename(folder / "sub")


def _folder_moved_in(folder: Path) -> None:
    (folder.parent / "other").rename(folder / "new")


@pytest.mark.parametrize("change", [_file_gone, _folder_in_its_place, _folder_moved_in])
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "new"])
def test_what_comes_or_goes_while_a_run_is_at_work(
    tmp_path: Path, change: Callable[[Path], None], *, is_known: bool
) -> None:
    for name in ("more/sub", "other"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.jsonnet").write_text(f"{{ a: {{ of: '{name}' }} }}")
    reruns = make_reruns(tmp_path / "fleet")
    paths = [f"{tmp_path}/more/*/*.jsonnet"]
    entry = {"input_type": "jsonnet", "output_path": "web", "input_paths": paths}
    parameters: dict[str, object] = {"kapitan": {"compile": [entry]}}
    reruns.fleet.configure({"applications": ["web"], "parameters": parameters})
    time.sleep(PAUSE)
    if is_known:
        reruns.settle()
        parameters["other"] = "of me"
        reruns.fleet.configure({"applications": ["web"], "parameters": parameters})

    def meanwhile(_: object) -> bool:
        change(tmp_path / "more")
        time.sleep(PAUSE)
        return False

    reruns.run(approve=meanwhile)

    assert not (reruns.work / ".commodore/unchanged").exists()


def _other_helm(tools: Path) -> None:
    _program(tools / "helm3", HELM % "two")


def _helm_in_front(tools: Path) -> None:
    (tools.parent / "front").mkdir(exist_ok=True)
    _program(tools.parent / "front/helm3", HELM % "two")


def _other_namespace(tools: Path) -> None:
    (tools.parent / "home/.kube/config").write_text("in: two\n")


@pytest.mark.parametrize("change", [_other_helm, _helm_in_front, _other_namespace])
def test_the_helm_that_an_entry_names_and_what_that_reads(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    (tmp_path / "front").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/front:{os.environ['PATH']}")
    entry = (
        "{input_paths: ['dependencies/web/chart'], input_type: helm, output_path: web,"
        " helm_path: helm3, helm_params: {name: web}}"
    )
    local = _settled(tmp_path, entry, **CHART)

    change(tools)

    assert not local.run().rested
    assert "two" in (local.work / "compiled/web/web/chart/templates/a.yaml").read_text()


def test_hooks_of_components_are_files_like_others(tools: Path, tmp_path: Path) -> None:
    entry = "{input_paths: ['dependencies/web/chart'], input_type: copy, output_path: web}"
    local = _settled(tmp_path, entry, **{"hooks/a.sample": "one"})

    (local.work / "dependencies/web/chart/hooks/a.sample").write_text("two")

    assert not local.run().rested
    assert (local.work / "compiled/web/web/hooks/a.sample").read_text() == "two"
    assert tools.is_dir()


def test_kubectl_counts_where_it_stands_for_kustomize(tools: Path, tmp_path: Path) -> None:
    (tools / "kustomize").rename(tools / "kubectl")
    if shutil.which("kustomize"):
        pytest.skip("kustomize is everywhere")
    entry = (
        f"{{input_paths: ['{KUSTOMIZE_WRAPPER}'], input_type: external, output_path: .,"
        f" env_vars: {{INPUT_DIR: '{tmp_path}/fleet/work/dependencies/web/chart'}},"
        r" args: ['\${compiled_target_dir}/web']}"
    )
    local = _settled(tmp_path, entry, **{"kustomization.yaml": "resources: []"})

    _program(tools / "kubectl", _TOOL % "two")

    assert not local.run().rested
    assert (local.work / "compiled/web/web/made.yaml").read_text() == "of: two\n"


@pytest.mark.parametrize("host", ["", "localhost"])
def test_facts_count_however_their_folder_is_written(tmp_path: Path, host: str) -> None:
    reruns = make_reruns(tmp_path / "fleet")
    (tmp_path / "my facts").symlink_to(tmp_path / "fleet/facts")
    reruns.settings = {"api_url": f"file://{host}{quote(str(tmp_path / 'my facts'))}"}
    reruns.run()
    time.sleep(PAUSE)
    assert reruns.settle().rested

    edit_facts(reruns)

    assert not reruns.run().rested


def _settled(tmp_path: Path, entry: str, **chart: str) -> Reruns:
    """A working directory with one entry more that has nothing to do."""
    local = make_reruns(tmp_path / "fleet", local=True, fetch_dependencies=False)
    for name, content in chart.items():
        file = local.work / "dependencies/web/chart" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    common = local.work / "inventory/classes/t-acme/common.yml"
    common.write_text(f"applications: [web]\nparameters: {{kapitan: {{compile: [{entry}]}}}}\n")
    local.run()
    time.sleep(PAUSE)
    assert local.settle().rested
    return local


def _program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


def _in_path(name: str) -> list[str]:
    return [f"{folder}/{name}" for folder in os.environ["PATH"].split(os.pathsep)]
