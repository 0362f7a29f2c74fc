"""What programs look at is recorded by looking at all of it; else results are not cached."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.adapters.yaml.emitter import Style
from commodore_py.cache.questions import remotes
from commodore_py.cache.questions.remotes import REMOTE
from commodore_py.cache.questions.tools import HELM, SCRIPT, tool_digest
from commodore_py.cache.recorder import Recorder
from commodore_py.cache.results import ResultCache
from commodore_py.compiler.cached import roots_of, work_of
from commodore_py.compiler.entries import entries_of
from commodore_py.compiler.inputs import INPUT_TYPES
from commodore_py.compiler.job import InputJob
from commodore_py.compiler.output import Output
from commodore_py.compiler.tags import Tags
from commodore_py.compiler.views import Views
from commodore_py.errors import CommodoreError
from commodore_py.lib import KAPITAN_INVENTORY, KUSTOMIZE_WRAPPER
from tests.support.builders import commit_to, git, make_repository
from tests.support.scenarios.compile_targets import CompileTargets

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.compiler.job import Job

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"


@pytest.fixture
def targets(tmp_path: Path) -> CompileTargets:
    """Nothing yet."""
    return CompileTargets(tmp_path / "work", tmp_path / "store")


def test_chart_record_includes_whole_folder(targets: CompileTargets) -> None:
    targets.write("chart/Chart.yaml", "name: chart\nversion: 1.0.0\n")
    targets.write("chart/templates/a.yaml", "a: {{ .Values.a }}")
    sealed = _sealed(targets, helm_params={"name": "web"})

    assert sealed.unsealed == ""
    assert "tree work:chart" in sealed.answers

    targets.write("chart/README.md", "new")
    assert _sealed(targets, helm_params={"name": "web"}).answers != sealed.answers


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"helm_params": {}}, "named after the clock"),
        ({"helm_params": {"name": "web", "validate": True}}, "more than the chart"),
        ({"helm_params": {"name": "web"}, "helm_values_files": ["http://a/b"]}, "values come from"),
    ],
)
def test_charts_with_untracked_inputs_are_not_cached(
    targets: CompileTargets, fields: dict[str, Any], why: str
) -> None:
    targets.write("chart/Chart.yaml", "name: chart\nversion: 1.0.0\n")

    assert why in _sealed(targets, **fields).unsealed


@pytest.mark.parametrize(
    "files",
    [
        {"templates/a.yaml": "a: {{ now }}"},
        {"templates/a.yaml": '{{ if .Values.on }}{{ include "b" . }}{{ end }}'}
        | {"templates/_b.tpl": '{{ define "b" }}{{ now }}{{ end }}'},
        {"templates/a.yaml": "{{ tpl .Values.a . }}", "values.yaml": "a: '{{ ago 1 }}'"},
        {"templates/a.yaml": '{{ date "2006" .Values.a }}'},
        {"templates/a.yaml": '{{ tpl (.Files.Get "f.txt") . }}', "f.txt": "{{ ago 1 }}"},
        {"charts/sub/templates/a.yaml": "{{ tpl .Values.a . }}"}
        | {"charts/sub/values.yaml": "a: '{{ ago 1 }}'"},
        {
            "Chart.yaml": "name: chart\ndependencies: [{name: sub, condition: enabled}]\n",
            "values.yaml": "enabled: false",
            "charts/sub/Chart.yaml": "name: sub",
            "charts/sub/templates/a.yaml": "{{ now }}",
        },
    ],
)
def test_charts_that_read_the_clock_are_not_cached(
    targets: CompileTargets, files: dict[str, str]
) -> None:
    for name, content in {"Chart.yaml": "name: chart\nversion: 1.0.0\n", **files}.items():
        targets.write(f"chart/{name}", content)

    assert "look at the clock" in _sealed(targets, helm_params={"name": "web"}).unsealed


@pytest.mark.skipif(not shutil.which("helm"), reason="there is no helm in PATH")
@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("a: {{ randAlphaNum 8 }}", "chart chart gives other output each time"),
        ("{{ if .Values.on }}a: {{ randAlphaNum 8 }}{{ end }}\nb: 1", ""),
        ('a: {{ lookup "v1" "Secret" "" "" | len }}', ""),
    ],
)
def test_charts_with_same_output_twice_are_cached(
    targets: CompileTargets, template: str, why: str
) -> None:
    targets.write("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    targets.write("chart/templates/a.yaml", template)

    assert _sealed(targets, helm_params={"name": "web"}).unsealed == why


def test_charts_with_a_broken_archive_are_not_cached(targets: CompileTargets) -> None:
    targets.write("chart/Chart.yaml", "name: chart\nversion: 1.0.0\n")
    targets.write("chart/charts/sub.tgz", "broken")

    assert "is not read" in _sealed(targets, helm_params={"name": "web"}).unsealed


def test_tool_digest_ignores_version_manager_shim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, own = tmp_path / "mise", tmp_path / "helm-3"
    for one in (many, own):
        one.write_bytes(b"\x7fELF")
        one.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KAPITAN_HELM_PATH", raising=False)
    (tmp_path / "helm").symlink_to(many)
    assert tool_digest(HELM) == SCRIPT

    (tmp_path / "helm").unlink()
    (tmp_path / "helm").symlink_to(own)
    assert tool_digest(HELM) != SCRIPT


def _sealed(
    targets: CompileTargets,
    path: str = "chart",
    kind: str = "helm",
    **fields: Any,  # noqa: ANN401 - as people write them
) -> Recorder:
    """The record of an entry, whether its program is in PATH or not."""
    targets.parameters, targets.entries = {}, {}
    targets.entry("web", path, kind=kind, **fields)
    job = targets.job()
    recorder = Recorder(roots_of(job))
    with suppress(CommodoreError):
        INPUT_TYPES[kind].render(_input_job(job, recorder))
    return recorder


def _input_job(job: Job, recorder: Recorder) -> InputJob:
    files = Files(job.root / "compiled", job.root / "catalog", {}, job.plan.search_paths)
    (entry,) = entries_of(job.inventory.nodes["web"]).compiled
    return InputJob(
        job=job,
        entry=entry,
        output=Output("web", None),
        files=replace(files, observer=recorder),
        recorder=recorder,
        tags=Tags(),
        style=Style(),
        imports=InventoryImports(Views(job.inventory), KAPITAN_INVENTORY),
    )


@pytest.mark.parametrize(("bases", "asked"), [(None, True), (object(), False)])
def test_locked_bases_decide_without_remotes(
    targets: CompileTargets, bases: object, *, asked: bool
) -> None:
    targets.write("top/kustomization.yaml", "")
    targets.entry("web", "top", kind="kustomize")
    job = targets.job(bases=bases)
    roots = roots_of(job)

    work = work_of(
        INPUT_TYPES["kustomize"], _input_job(job, Recorder(roots)), ResultCache(None, roots)
    )

    assert work.view.offline != asked


def test_remote_bases_count_by_their_commits(targets: CompileTargets, tmp_path: Path) -> None:
    base = make_repository(tmp_path / "base.git", {"kustomization.yaml": ""})
    targets.write("top/kustomization.yaml", f"resources: ['file://{base}//.?ref=master']")
    before = _sealed(targets, "top", "kustomize")

    assert before.unsealed == ""
    question = REMOTE.question(f"file://{base} master")
    assert before.answers[question] == git(base, "rev-parse", "master")

    commit_to(base, {"kustomization.yaml": "namespace: here"})
    remotes.refs_at.cache_clear()  # asked once in a run
    assert _sealed(targets, "top", "kustomize").answers[question] != before.answers[question]


@pytest.mark.parametrize(
    "base",
    ["https://example.com/map.yaml", "file:///nowhere.git//.?ref=main", "/elsewhere/map.yaml"],
)
def test_bases_without_a_commit_are_not_cached(targets: CompileTargets, base: str) -> None:
    targets.write("top/kustomization.yaml", f"resources: ['{base}']")

    assert _sealed(targets, "top", "kustomize").unsealed != ""


@pytest.mark.skipif(shutil.which("kustomize") is None, reason="there is no kustomize in PATH")
@pytest.mark.parametrize(("ref", "cached"), [("master", False), ("{commit}", True)])
def test_bases_of_bases_count_by_fixed_commits(
    targets: CompileTargets, tmp_path: Path, ref: str, *, cached: bool
) -> None:
    deep = make_repository(
        tmp_path / "deep.git", {"kustomization.yaml": "resources: [map.yaml]", "map.yaml": MAP}
    )
    ref = ref.format(commit=git(deep, "rev-parse", "master"))
    content = f"resources: ['file://{deep}//.?ref={ref}']"
    base = make_repository(tmp_path / "base.git", {"kustomization.yaml": content})
    targets.write("top/kustomization.yaml", f"resources: ['file://{base}//.?ref=master']")
    targets.entry("web", "top", kind="kustomize")

    assert targets.compiled() == ["web top"]
    assert (targets.compiled() == []) is cached


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl in PATH")
def test_kustomization_record_includes_base_folders(targets: CompileTargets) -> None:
    targets.write("base/kustomization.yaml", "resources: [map.yaml]")
    targets.write("base/map.yaml", MAP)
    targets.write("top/kustomization.yaml", "resources: [../base]\nnamespace: here")
    targets.entry(
        "web",
        str(KUSTOMIZE_WRAPPER),
        kind="external",
        env_vars={"INPUT_DIR": str(targets.root / "top")},
        args=["${compiled_target_dir}/made"],
    )
    assert targets.compiled() == ["web run-kustomize"]
    assert targets.compiled() == []

    targets.write("base/map.yaml", MAP.replace("one", "two"))
    assert targets.compiled() == ["web run-kustomize"]
    assert targets.compiled() == []
