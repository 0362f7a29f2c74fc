"""`component compile`: what comes out, where it goes, and what is said about mistakes."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.authoring import CLASS, a_component, files_below
from tests.builders import git

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import CommandLine, Ran

ARGOCD = "local argocd = import 'lib/argocd.libjsonnet';\n"
INVENTORY = "local inv = (import 'lib/kapitan.libjsonnet').inventory();\n"
MULTI = "parameters:\n  one:\n    _metadata:\n      multi_instance: true\n"


def compile_(commodore: CommandLine, folder: Path, *options: str) -> Ran:
    return commodore("component", "compile", str(folder), *options)


def out(tmp_path: Path, instance: str = "one") -> dict[str, str]:
    found = files_below(tmp_path / "compiled" / instance)
    return {name: content.decode() for name, content in found.items()}


def test_output_goes_to_the_current_folder(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path) == {"out/hello.yaml": "w\n--- o\n--- r\n--- l\n--- d\n...\n"}
    assert str(tmp_path / "compiled" / "one") in ran.out
    assert git(component, "status", "--porcelain") == ""


def test_other_instances_stay(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")
    for stale in ("other/kept.yaml", "one/stale.yaml"):
        (tmp_path / "there/compiled" / stale).parent.mkdir(parents=True)
        (tmp_path / "there/compiled" / stale).write_text("a: 1\n")

    compile_(commodore, component, "-o", "there")

    assert set(files_below(tmp_path / "there/compiled")) == {
        "other/kept.yaml",
        "one/out/hello.yaml",
    }


def test_a_failure_leaves_the_last_result(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")
    compile_(commodore, component)
    (component / "component/main.jsonnet").write_text("error 'no'")

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "no" in ran.err
    assert "out/hello.yaml" in out(tmp_path)


def test_later_values_win_and_all_win_over_the_component(
    commodore: CommandLine, tmp_path: Path
) -> None:
    code = INVENTORY + "{ seen: { one: inv.parameters.one.x, facts: inv.parameters.facts } }"
    component = a_component(
        tmp_path / "src",
        "one",
        {"class/one.yml": CLASS + "  one:\n    x: class\n"},
        code=code,
    )
    (tmp_path / "a.yml").write_text("parameters:\n  one:\n    x: a\n")
    (tmp_path / "b.yaml").write_text("parameters:\n  one:\n    x: b\n")

    assert compile_(commodore, component, "-f", "a.yml", "-f", "b.yaml").code == 0

    assert out(tmp_path)["out/seen.yaml"] == (
        "facts:\n  cloud: cloudscale\n  distribution: test-distribution\n  region: rma1\none: b\n"
    )


@pytest.mark.spec("09.24")
def test_values_may_have_a_dot_in_their_name(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { x: inv.parameters.one.x } }"
    component = a_component(tmp_path / "src", "one", code=code)
    (tmp_path / "a.b.yml").write_text("parameters:\n  one:\n    x: dotted\n")

    ran = compile_(commodore, component, "-f", "a.b.yml")

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: dotted\n"


def test_of_values_with_one_name_the_last_counts(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { x: inv.parameters.one.x, y: 'y' in inv.parameters.one } }"
    component = a_component(tmp_path / "src", "one", code=code)
    for folder, field in (("a", "y"), ("b", "x")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v.yml").write_text(f"parameters:\n  one:\n    {field}: {folder}\n")

    ran = compile_(commodore, component, "-f", "a/v.yml", "-f", "b/v.yml")

    assert out(tmp_path)["out/seen.yaml"] == "x: b\ny: false\n"
    assert "only the last counts" in ran.err


def test_references_become_their_paths(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: { a: '?{vaultkv:t/c/a}', b: 'x?{vaultkv:q||random:str}y', c: '?{vaultkv:}' } }"
    component = a_component(tmp_path / "src", "one", code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "a: t/c/a\nb: xqy\nc: ?{vaultkv:}\n"


def test_the_argocd_library_stands_in(commodore: CommandLine, tmp_path: Path) -> None:
    code = ARGOCD + (
        "{ app: argocd.App('one', 'ns', secrets=false, base='x'),"
        " more: argocd.Project('p') { spec: 1 } }"
    )
    component = a_component(tmp_path / "src", "one", code=code)

    assert compile_(commodore, component).code == 0

    assert out(tmp_path) == {"out/app.yaml": "", "out/more.yaml": "spec: 1\n"}


def test_search_paths_come_first_in_their_order(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: { x: import 'lib/argocd.libjsonnet', y: import 'y.libsonnet' } }"
    component = a_component(tmp_path / "src", "one", code=code)
    for name, files in {
        "p": {"lib/argocd.libjsonnet": "'p'"},
        "q": {"lib/argocd.libjsonnet": "'q'", "y.libsonnet": "'q'"},
    }.items():
        for file, text in files.items():
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).write_text(text)
    (component / "vendor").mkdir()
    (component / "vendor/y.libsonnet").write_text("'vendor'")

    assert compile_(commodore, component, "-J", "p", "-J", "q").code == 0

    assert out(tmp_path)["out/seen.yaml"] == "x: p\ny: q\n"


def test_an_alias_is_another_instance(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { i: inv.parameters._instance, x: inv.parameters.one.x } }"
    component = a_component(
        tmp_path / "src", "one", {"class/defaults.yml": MULTI + "    x: default\n"}, code=code
    )
    (tmp_path / "v.yml").write_text("parameters:\n  two_b:\n    x: aliased\n")

    ran = compile_(commodore, component, "-a", "two-b", "-f", "v.yml")

    assert ran.code == 0, ran.err
    assert out(tmp_path, "two-b")["out/seen.yaml"] == "i: two-b\nx: aliased\n"


@pytest.mark.spec("09.29")
def test_an_alias_that_is_the_name(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")

    assert compile_(commodore, component, "--alias", "one").code == 0

    assert "out/hello.yaml" in out(tmp_path)


@pytest.mark.spec("09.27")
def test_an_alias_needs_multi_instance(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")

    ran = compile_(commodore, component, "-a", "two")

    assert ran.code == 1
    assert "component one" in ran.err
    assert "two" in ran.err
    assert "parameters.one._metadata.multi_instance" in ran.err


@pytest.mark.spec("09.28")
def test_a_version_of_an_alias_needs_multi_version(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one", {"class/defaults.yml": MULTI})
    (tmp_path / "v.yml").write_text("parameters:\n  components:\n    two:\n      version: v2\n")

    ran = compile_(commodore, component, "-a", "two", "-f", "v.yml")

    assert ran.code == 1
    assert "component one" in ran.err
    assert "instance two" in ran.err
    assert "_metadata.multi_version" in ran.err
    assert "v.yml:3" in ran.err


@pytest.mark.spec("09.21")
def test_another_name_tells_everything_that_does_not_fit(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = a_component(tmp_path / "src", "one", {"lib/one.libsonnet": "{}"})

    ran = compile_(commodore, component, "-n", "two")

    assert ran.code == 1
    assert "component two has no class/two.yml" in ran.err
    assert "library one.libsonnet does not carry the name of its component two" in ran.err
    assert "-n" in ran.err


@pytest.mark.spec("09.22")
def test_defaults_of_another_key(commodore: CommandLine, tmp_path: Path) -> None:
    files = {"class/defaults.yml": "parameters:\n  other: {}\n"}
    component = a_component(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "component one" in ran.err
    assert "class/defaults.yml" in ran.err
    assert "parameters.one" in ran.err
    assert "-n" in ran.err


@pytest.mark.spec("09.23")
def test_values_without_suffix_are_told_with_all_other_mistakes(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = a_component(tmp_path / "src", "one")
    (component / "class/one.yml").unlink()
    (tmp_path / "values").write_text("parameters: {}\n")
    (tmp_path / "init.yml").write_text("parameters: {}\n")

    ran = compile_(commodore, component, "-f", "values", "-f", "init.yml")

    assert ran.code == 1
    assert "must end in .yml or .yaml" in ran.err
    assert "cannot be called init.yml" in ran.err
    assert "has no class/one.yml" in ran.err


@pytest.mark.spec("09.25")
def test_values_that_include_a_neighbour(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text("classes:\n  - .beside\n")
    (tmp_path / "beside.yml").write_text("parameters: {}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "class beside not found" in ran.err
    assert "v.yml:2" in ran.err
    assert "are part of the inventory" in ran.err


@pytest.mark.spec("09.26")
@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [\n"])
def test_broken_values(commodore: CommandLine, tmp_path: Path, text: str) -> None:
    component = a_component(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text(text)

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "v.yml:" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.spec("09.30")
def test_the_name_cluster_is_reserved(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { base: std.objectHas(inv.parameters, '_base_directory') } }"
    component = a_component(tmp_path / "src", "cluster", code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert "the name cluster is reserved" in ran.err
    assert out(tmp_path, "cluster")["out/seen.yaml"] == "base: true\n"


@pytest.mark.spec("09.31")
def test_removed_parameters(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        "class/defaults.yml": "parameters:\n  one:\n"
        "    a: ${cluster:dist}\n    b: ${customer:name}\n"
    }
    component = a_component(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "${cluster:dist} is no longer supported" in ran.err
    assert "class/defaults.yml: parameters.one.a" in ran.err
    assert "${facts:distribution}" in ran.err
    assert "2 problems" in ran.err


def test_removed_parameters_of_values(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text("parameters:\n  x: ${cloud:region}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "v.yml: parameters.x" in ran.err


def aliases(**known: str) -> dict[str, str]:
    offered = json.dumps(known)
    defaults = f"parameters:\n  one:\n    _metadata:\n      library_aliases: {offered}\n"
    return {"class/defaults.yml": defaults, "lib/one.libsonnet": "{ x: 'lib' }"}


def test_a_library_alias_can_be_imported(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: import 'lib/old.libsonnet' }"
    files = aliases(**{"old.libsonnet": "one.libsonnet"})
    component = a_component(tmp_path / "src", "one", files, code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: lib\n"


@pytest.mark.spec("09.32")
def test_a_library_alias_for_nothing(commodore: CommandLine, tmp_path: Path) -> None:
    files = aliases(**{"old.libsonnet": "missing.libsonnet"})
    component = a_component(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 0
    assert "library alias old.libsonnet of component one is skipped" in ran.err
    assert "lib/missing.libsonnet" in ran.err


@pytest.mark.spec("09.33")
def test_a_library_alias_of_another_component(commodore: CommandLine, tmp_path: Path) -> None:
    files = aliases(**{"two-x.libsonnet": "one.libsonnet"})
    component = a_component(tmp_path / "src", "one", files)
    (tmp_path / "v.yml").write_text("parameters:\n  components:\n    two: {}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "library alias two-x.libsonnet of component one" in ran.err
    assert "component two" in ran.err


@pytest.mark.spec("07.06", "09.34")
@pytest.mark.parametrize("remote", [None, "upstream"])
def test_no_remote_is_needed(commodore: CommandLine, tmp_path: Path, remote: str | None) -> None:
    component = a_component(tmp_path / "src", "one", remote=remote)

    assert compile_(commodore, component).code == 0

    assert "out/hello.yaml" in out(tmp_path)


def test_no_repository_is_needed_and_none_is_made(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")
    shutil.rmtree(component / ".git")
    before = set(component.iterdir())

    assert compile_(commodore, component).code == 0

    assert set(component.iterdir()) == before


LIBRARY_LIST = """\
{ version: 1, legacyImports: true, dependencies: [
  { source: { 'local': { directory: std.extVar('where') } }, version: '' },
] }
"""


@pytest.mark.spec("09.35")
def test_a_list_of_libraries_is_computed_before_the_first_commit(
    commodore: CommandLine, tmp_path: Path
) -> None:
    code = "{ seen: import 'shared/it.libsonnet' }"
    files = {
        "jsonnetfile.jsonnet": LIBRARY_LIST,
        "shared/it.libsonnet": "{ x: 1 }",
        "class/defaults.yml": "parameters:\n  one:\n"
        "    jsonnetfile_parameters:\n      where: shared\n",
    }
    component = a_component(tmp_path / "src", "one", files, code=code)
    shutil.rmtree(component / ".git")
    git(component, "init", "--quiet")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: 1\n"
    assert (component / "jsonnetfile.json").read_text().endswith("}\n\n")
    assert (component / "jsonnetfile.lock.json").is_file()


@pytest.mark.spec("09.36")
def test_libraries_that_cannot_be_had(commodore: CommandLine, tmp_path: Path) -> None:
    url = "https://git.example.com/some/library.git"
    source = {"git": {"remote": url, "subdir": "lib"}}
    content = {"version": 1, "dependencies": [{"source": source, "version": "main"}]}
    component = a_component(tmp_path / "src", "one", {"jsonnetfile.json": json.dumps(content)})

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert url in ran.err
    assert "main" in ran.err
    assert "jb" not in ran.err.split()


@pytest.mark.spec("09.38")
def test_a_mistake_in_jsonnet(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one", code="{ a: 1,\n  b: }")

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "component/main.jsonnet:2:6" in ran.err
    assert "Traceback" not in ran.err


def test_a_chart_without_helm(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = """\
parameters:
  kapitan:
    compile:
      - input_paths: ['${_base_directory}/chart']
        input_type: helm
        output_path: out/
        helm_values: {}
        helm_params: {name: one}
"""
    files = {"class/one.yml": chart, "chart/Chart.yaml": "name: c\nversion: 1.0.0\n"}
    component = a_component(tmp_path / "src", "one", files)
    monkeypatch.setenv("KAPITAN_HELM_PATH", "no-such-helm")

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "one" in ran.err
    assert "helm" in ran.err


def test_a_component_below_its_repository(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { base: inv.parameters._base_directory } }"
    folder = a_component(tmp_path / "src", "several", {"a": ""})
    component = a_component(folder / "nested", "one", code=code)
    shutil.rmtree(component / ".git")

    assert compile_(commodore, component).code == 0

    assert out(tmp_path)["out/seen.yaml"] == f"base: {component}\n"


def test_filters_run_over_the_output(commodore: CommandLine, tmp_path: Path) -> None:
    filters = """\
  commodore:
    postprocess:
      filters:
        - {type: jsonnet, path: out, filter: postprocess/f.jsonnet}
"""
    files = {
        "class/one.yml": CLASS + filters,
        "postprocess/f.jsonnet": "local p = std.extVar('output_path');"
        " { hello: std.native('yaml_load')(p + '/hello.yaml') + { b: std.extVar('component') } }",
    }
    component = a_component(tmp_path / "src", "one", files, code="{ hello: { a: 1 } }")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/hello.yaml"] == "a: 1\nb: one\n"


def test_deprecation_is_told(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        "class/defaults.yml": "parameters:\n  one:\n    _metadata:\n      deprecated: true\n"
        "      replaced_by: two\n"
    }
    component = a_component(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 0
    assert "Component one is deprecated. Use component two instead." in ran.err


def test_strict_refuses_what_is_passed_over(commodore: CommandLine, tmp_path: Path) -> None:
    filters = "  commodore:\n    postprocess:\n      filters:\n        - {type: x}\n"
    component = a_component(tmp_path / "src", "one", {"class/one.yml": CLASS + filters})

    lenient, strict = compile_(commodore, component), compile_(commodore, component, "--strict")

    assert (lenient.code, strict.code) == (0, 1)
    assert "skipped filter" in lenient.err


def test_the_repository_option_does_nothing(commodore: CommandLine, tmp_path: Path) -> None:
    component = a_component(tmp_path / "src", "one")

    ran = compile_(commodore, component, "-r", "anything")

    assert ran.code == 0
    assert "--repo-directory does nothing" in ran.err


@pytest.mark.parametrize("alias", ["../two", ".two", "a/b"])
def test_a_name_is_no_path(commodore: CommandLine, tmp_path: Path, alias: str) -> None:
    component = a_component(tmp_path / "src", "one", {"class/defaults.yml": MULTI})

    ran = compile_(commodore, component, "-a", alias)

    assert ran.code == 1
    assert f"{alias!r} cannot be the name" in ran.err


@pytest.mark.parametrize("verbosity", [2, 3])
def test_the_folder_is_kept_for_the_curious(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verbosity: int
) -> None:
    component = a_component(tmp_path / "src", "one")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    assert compile_(commodore, component, f"-{'v' * verbosity}").code == 0

    kept = [path for path in scratch.glob("component-*") if path.is_dir()]
    assert len(kept) == (1 if verbosity == 3 else 0)
