"""`component compile`: errors in components, all of them at once."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import CLASS, make_component_clone

from .test_component_compile import INVENTORY, MULTI, aliases, compile_, out

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


def test_an_alias_needs_multi_instance(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")

    ran = compile_(commodore, component, "-a", "two")

    assert ran.code == 1
    assert "component one" in ran.err
    assert "two" in ran.err
    assert "parameters.one._metadata.multi_instance" in ran.err


def test_a_version_of_an_alias_needs_multi_version(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one", {"class/defaults.yml": MULTI})
    (tmp_path / "v.yml").write_text("parameters:\n  components:\n    two:\n      version: v2\n")

    ran = compile_(commodore, component, "-a", "two", "-f", "v.yml")

    assert ran.code == 1
    assert "component one" in ran.err
    assert "instance two" in ran.err
    assert "_metadata.multi_version" in ran.err
    assert "v.yml:3" in ran.err


def test_another_name_reports_all_mismatches(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one", {"lib/one.libsonnet": "{}"})

    ran = compile_(commodore, component, "-n", "two")

    assert ran.code == 1
    assert "component two has no class/two.yml" in ran.err
    assert "library one.libsonnet does not start with the name of its component two" in ran.err
    assert "-n" in ran.err


def test_defaults_of_another_key(commodore: CommandLine, tmp_path: Path) -> None:
    files = {"class/defaults.yml": "parameters:\n  other: {}\n"}
    component = make_component_clone(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "component one" in ran.err
    assert "class/defaults.yml" in ran.err
    assert "parameters.one" in ran.err
    assert "-n" in ran.err


def test_values_without_suffix_are_reported_with_all_other_mistakes(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    (component / "class/one.yml").unlink()
    (tmp_path / "values").write_text("parameters: {}\n")
    (tmp_path / "init.yml").write_text("parameters: {}\n")

    ran = compile_(commodore, component, "-f", "values", "-f", "init.yml")

    assert ran.code == 1
    assert "must end in .yml or .yaml" in ran.err
    assert "cannot be called init.yml" in ran.err
    assert "has no class/one.yml" in ran.err


def test_values_that_include_a_neighbour(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text("classes:\n  - .beside\n")
    (tmp_path / "beside.yml").write_text("parameters: {}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "class beside not found" in ran.err
    assert "v.yml:2" in ran.err
    assert "are part of the inventory" in ran.err


def test_values_that_nearly_include_a_class(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text("classes:\n  - components.onne\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "did you mean components.one? Otherwise: only the component" in " ".join(ran.err.split())


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [\n"])
def test_broken_values(commodore: CommandLine, tmp_path: Path, text: str) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text(text)

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "v.yml:" in ran.err
    assert "Traceback" not in ran.err


def test_the_name_cluster_is_reserved(commodore: CommandLine, tmp_path: Path) -> None:
    code = INVENTORY + "{ seen: { base: std.objectHas(inv.parameters, '_base_directory') } }"
    component = make_component_clone(tmp_path / "src", "cluster", code=code)

    ran = compile_(commodore, component)

    assert ran.code == 0, ran.err
    assert "the name cluster is reserved" in ran.err
    assert out(tmp_path, "cluster")["out/seen.yaml"] == "base: true\n"


def test_removed_parameters(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        "class/defaults.yml": "parameters:\n  one:\n"
        "    a: ${cluster:dist}\n    b: ${customer:name}\n"
    }
    component = make_component_clone(tmp_path / "src", "one", files)

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "${cluster:dist} is no longer supported" in ran.err
    assert "class/defaults.yml: parameters.one.a" in ran.err
    assert "${facts:distribution}" in ran.err
    assert "2 problems" in ran.err


def test_removed_parameters_of_values(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")
    (tmp_path / "v.yml").write_text("parameters:\n  x: ${cloud:region}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "v.yml: parameters.x" in ran.err


def test_a_library_alias_of_another_component(commodore: CommandLine, tmp_path: Path) -> None:
    files = aliases(**{"two-x.libsonnet": "one.libsonnet"})
    component = make_component_clone(tmp_path / "src", "one", files)
    (tmp_path / "v.yml").write_text("parameters:\n  components:\n    two: {}\n")

    ran = compile_(commodore, component, "-f", "v.yml")

    assert ran.code == 1
    assert "library alias two-x.libsonnet of component one" in ran.err
    assert "component two" in ran.err


def test_libraries_that_cannot_be_had(commodore: CommandLine, tmp_path: Path) -> None:
    url = "https://git.example.com/some/library.git"
    source = {"git": {"remote": url, "subdir": "lib"}}
    content = {"version": 1, "dependencies": [{"source": source, "version": "main"}]}
    component = make_component_clone(
        tmp_path / "src", "one", {"jsonnetfile.json": json.dumps(content)}
    )

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert url in ran.err
    assert "main" in ran.err
    assert "jb" not in ran.err.split()


def test_a_mistake_in_jsonnet(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one", code="{ a: 1,\n  b: }")

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
    component = make_component_clone(tmp_path / "src", "one", files)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(programs))

    ran = compile_(commodore, component)

    assert ran.code == 1
    assert "helm not found in PATH" in ran.err
    assert str(component / "chart") in ran.err
    assert "target one, parameters.kapitan.compile[0]" in ran.err
    assert "commodore tool install helm" in ran.err


def test_strict_refuses_what_is_skipped(commodore: CommandLine, tmp_path: Path) -> None:
    filters = "  commodore:\n    postprocess:\n      filters:\n        - {type: x}\n"
    component = make_component_clone(tmp_path / "src", "one", {"class/one.yml": CLASS + filters})

    lenient, strict = compile_(commodore, component), compile_(commodore, component, "--strict")

    assert (lenient.code, strict.code) == (0, 1)
    assert "skipped filter" in lenient.err


def test_the_repository_option_does_nothing(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "one")

    ran = compile_(commodore, component, "-r", "anything")

    assert ran.code == 0
    assert "--repo-directory has no effect" in ran.err


@pytest.mark.parametrize("alias", ["../two", ".two", "a/b"])
def test_a_name_is_not_a_path(commodore: CommandLine, tmp_path: Path, alias: str) -> None:
    component = make_component_clone(tmp_path / "src", "one", {"class/defaults.yml": MULTI})

    ran = compile_(commodore, component, "-a", alias)

    assert ran.code == 1
    assert f"{alias!r} cannot be the name" in ran.err
