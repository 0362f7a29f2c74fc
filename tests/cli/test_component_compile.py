"""`component compile`: what comes out, where it goes, and the errors."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import CLASS, files_below, make_component_clone
from tests.support.builders import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

ARGOCD = "local argocd = import 'lib/argocd.libjsonnet';\n"
INVENTORY = "local inv = (import 'lib/kapitan.libjsonnet').inventory();\n"
MULTI = "parameters:\n  one:\n    _metadata:\n      multi_instance: true\n"


def compile_(commodore: CommandLine, folder: Path, *options: str) -> Ran:
    return commodore("component", "compile", str(folder), *options)


def out(tmp_path: Path, instance: str = "one") -> dict[str, str]:
    found = files_below(tmp_path / "compiled" / instance)
    return {name: content.decode() for name, content in found.items()}


def test_output_goes_to_the_current_folder(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path) == {"out/hello.yaml": "w\n--- o\n--- r\n--- l\n--- d\n...\n"}
    assert str(tmp_path / "compiled" / "one") in ran.out
    assert git(component, "status", "--porcelain") == ""


def test_other_instances_stay(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    for stale in ("other/kept.yaml", "one/stale.yaml"):
        (tmp_path / "there/compiled" / stale).parent.mkdir(parents=True)
        (tmp_path / "there/compiled" / stale).write_text("a: 1\n")

    compile_(commodore, component, "-o", "there")

    assert set(files_below(tmp_path / "there/compiled")) == {
        "other/kept.yaml",
        "one/out/hello.yaml",
    }


def test_a_failure_leaves_the_last_result(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
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
    component = make_component_clone(
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


def test_values_may_have_a_dot_in_their_name(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { x: inv.parameters.one.x } }"
    component = make_component_clone(tmp_path / "src", "one", code=code)
    (tmp_path / "a.b.yml").write_text("parameters:\n  one:\n    x: dotted\n")

    ran = compile_(commodore, component, "-f", "a.b.yml")

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: dotted\n"


def test_of_values_with_one_name_the_last_counts(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { x: inv.parameters.one.x, y: 'y' in inv.parameters.one } }"
    component = make_component_clone(tmp_path / "src", "one", code=code)
    for folder, field in (("a", "y"), ("b", "x")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v.yml").write_text(f"parameters:\n  one:\n    {field}: {folder}\n")

    ran = compile_(commodore, component, "-f", "a/v.yml", "-f", "b/v.yml")

    assert out(tmp_path)["out/seen.yaml"] == "x: b\ny: false\n"
    assert "only the last counts" in ran.err


def test_references_become_their_paths(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: { a: '?{vaultkv:t/c/a}', b: 'x?{vaultkv:q||random:str}y', c: '?{vaultkv:}' } }"
    component = make_component_clone(tmp_path / "src", "one", code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "a: t/c/a\nb: xqy\nc: ?{vaultkv:}\n"


def test_the_argocd_library_stands_in(commodore: CommandLine, tmp_path: Path) -> None:
    code = ARGOCD + (
        "{ app: argocd.App('one', 'ns', secrets=false, base='x'),"
        " more: argocd.Project('p') { spec: 1 } }"
    )
    component = make_component_clone(tmp_path / "src", "one", code=code)

    assert compile_(commodore, component).code == 0

    assert out(tmp_path) == {"out/app.yaml": "", "out/more.yaml": "spec: 1\n"}


def test_search_paths_come_first_in_their_order(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: { x: import 'lib/argocd.libjsonnet', y: import 'y.libsonnet' } }"
    component = make_component_clone(tmp_path / "src", "one", code=code)
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


REMOVE = """\
parameters:
  kapitan:
    compile:
      - {input_type: remove, input_paths: [extra/x.txt], output_path: .}
      - {input_type: copy, input_paths: ['${_base_directory}/extra'], output_path: .}
"""


def test_what_search_paths_find_can_be_left_out(commodore: CommandLine, tmp_path: Path) -> None:
    files = {"class/one.yml": REMOVE, "extra/x.txt": "x\n", "extra/y.txt": "y\n"}
    component = make_component_clone(tmp_path / "src", "one", files)

    refused = compile_(commodore, component)
    ran = compile_(commodore, component, "-J", str(component))

    assert "input extra/x.txt does not exist" in refused.err
    assert ran.code == 0, ran.err
    assert out(tmp_path) == {"y.txt": "y\n"}
    assert (component / "extra/x.txt").is_file()


def test_an_alias_is_another_instance(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { i: inv.parameters._instance, x: inv.parameters.one.x } }"
    component = make_component_clone(
        tmp_path / "src", "one", {"class/defaults.yml": MULTI + "    x: default\n"}, code=code
    )
    (tmp_path / "v.yml").write_text("parameters:\n  two_b:\n    x: aliased\n")

    ran = compile_(commodore, component, "-a", "two-b", "-f", "v.yml")

    assert ran.code == 0, ran.err
    assert out(tmp_path, "two-b")["out/seen.yaml"] == "i: two-b\nx: aliased\n"


def test_an_alias_that_is_the_name(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")

    assert compile_(commodore, component, "--alias", "one").code == 0

    assert "out/hello.yaml" in out(tmp_path)


def aliases(**known: str) -> dict[str, str]:
    offered = json.dumps(known)
    defaults = f"parameters:\n  one:\n    _metadata:\n      library_aliases: {offered}\n"
    return {"class/defaults.yml": defaults, "lib/one.libsonnet": "{ x: 'lib' }"}


def test_a_library_alias_can_be_imported(commodore: CommandLine, tmp_path: Path) -> None:
    code = "{ seen: import 'lib/old.libsonnet' }"
    files = aliases(**{"old.libsonnet": "one.libsonnet"})
    component = make_component_clone(tmp_path / "src", "one", files, code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: lib\n"


def test_a_library_alias_for_nothing(commodore: CommandLine, tmp_path: Path) -> None:
    files = aliases(**{"old.libsonnet": "missing.libsonnet"})
    component = make_component_clone(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 0
    assert "library alias old.libsonnet of component one is skipped" in ran.err
    assert "lib/missing.libsonnet" in ran.err


@pytest.mark.parametrize("remote", [None, "upstream"])
def test_no_remote_is_needed(commodore: CommandLine, tmp_path: Path, remote: str | None) -> None:
    component = make_component_clone(tmp_path / "src", "one", remote=remote)

    assert compile_(commodore, component).code == 0

    assert "out/hello.yaml" in out(tmp_path)


def test_no_repository_is_needed_and_none_is_made(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    shutil.rmtree(component / ".git")
    before = set(component.iterdir())

    assert compile_(commodore, component).code == 0

    assert set(component.iterdir()) == before


LIBRARY_LIST = """\
{ version: 1, legacyImports: true, dependencies: [
  { source: { 'local': { directory: std.extVar('where') } }, version: '' },
] }
"""


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
    component = make_component_clone(tmp_path / "src", "one", files, code=code)
    shutil.rmtree(component / ".git")
    git(component, "init", "--quiet")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/seen.yaml"] == "x: 1\n"
    assert (component / "jsonnetfile.json").read_text().endswith("}\n\n")
    assert (component / "jsonnetfile.lock.json").is_file()


def test_a_component_below_its_repository(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { base: inv.parameters._base_directory } }"
    folder = make_component_clone(tmp_path / "src", "several", {"a": ""})
    component = make_component_clone(folder / "nested", "one", code=code)
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
    component = make_component_clone(tmp_path / "src", "one", files, code="{ hello: { a: 1 } }")

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert out(tmp_path)["out/hello.yaml"] == "a: 1\nb: one\n"


def test_deprecation_is_reported(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        "class/defaults.yml": "parameters:\n  one:\n    _metadata:\n      deprecated: true\n"
        "      replaced_by: two\n"
    }
    component = make_component_clone(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 0
    assert "Component one is deprecated. Use component two instead." in ran.err


@pytest.mark.parametrize("verbosity", [2, 3])
def test_the_folder_stays_with_debug_output(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verbosity: int
) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    assert compile_(commodore, component, f"-{'v' * verbosity}").code == 0

    kept = [path for path in scratch.glob("component-*") if path.is_dir()]
    assert len(kept) == (1 if verbosity == 3 else 0)
