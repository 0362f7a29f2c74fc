"""Components taken for packages, folders that are neither, and files that lie elsewhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import make_component_clone, make_package_clone
from tests.support.builders import commit_to

from .test_package_test import a_package_with_cases

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

CASE = {"tests/defaults.yml": "{}\n"}
TEMPORARY = re.compile(r"/(?:component|package)-[a-z0-9_]{8}/")


def record(template: str) -> dict[str, str]:
    made = {"template": template, "commit": "c", "context": {"cookiecutter": {}}}
    return {".cruft.json": json.dumps(made)}


@pytest.mark.parametrize(
    "words", [("test",), ("compile", "tests/defaults.yml"), ("compile", "tests/none.yml")]
)
def test_a_component_is_not_a_package(
    commodore: CommandLine, tmp_path: Path, words: tuple[str, ...]
) -> None:
    component = make_component_clone(tmp_path / "src", "it", CASE)

    ran = commodore("package", words[0], str(component), *words[1:])

    output = ran.out + ran.err
    assert ran.code == 1
    assert "this is a component, not a package" in output
    assert "hint: for components there are `commodore component test`" in output
    assert "lists no components" not in output


@pytest.mark.parametrize("verb", ["test", "compile"])
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("package-it", {"main.yml": "{}\n"}),
        ("it", {"main.yml": "parameters:\n  components:\n    one: {}\n"}),
        ("it", record("https://git.example.com/acme/commodore-package-template.git")),
    ],
    ids=["by its name", "by what it lists", "by its template"],
)
def test_a_package_is_not_a_component(
    commodore: CommandLine, tmp_path: Path, verb: str, name: str, files: dict[str, str]
) -> None:
    package = make_package_clone(tmp_path / "src", "it", {**CASE, **files})
    package = package.rename(package.parent / name)

    ran = commodore("component", verb, str(package))

    assert ran.code == 1
    assert (ran.out + ran.err).count("this is a package, not a component") == 1
    assert "has no class" not in ran.out + ran.err


def test_a_component_without_its_class_is_still_one(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "it", CASE)
    (component / "class/it.yml").unlink()
    (component / "class/defaults.yml").unlink()

    ran = commodore("component", "test", str(component))

    assert "component it has no class/it.yml" in ran.out


@pytest.mark.parametrize("kind", ["component", "package"])
def test_neither(commodore: CommandLine, tmp_path: Path, kind: str) -> None:
    empty = commodore(kind, "test")
    (tmp_path / "dependencies").mkdir()
    around = commodore(kind, "test")

    assert (empty.code, around.code) == (2, 2)
    assert "error: there is neither a component nor a package here" in empty.err
    assert "this is a working directory; checkouts lie in" in around.err


def test_a_kind_without_cases_is_reported_as_before(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path / "src", "it")

    right = commodore("component", "test", str(component))
    wrong = commodore("package", "test", str(component))

    assert right.code == 2
    assert "error: there are no test cases" in right.err
    assert "error: this is a component, not a package" in wrong.err


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("words", [("test",), ("compile",)])
def test_files_of_a_component_are_named_where_its_author_has_them(
    commodore: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    words: tuple[str, ...],
) -> None:
    code = "{ a: error 'oops' }"
    component = make_component_clone(tmp_path / "src", "it", CASE, code=code)

    monkeypatch.setenv("COMMODORE_ENGINE", engine)
    ran = commodore("component", *words, str(component))

    output = ran.out + ran.err
    assert ran.code == 1
    assert f"{component.name}/component/main.jsonnet:1:6-18" in output
    assert not TEMPORARY.search(output)


def test_missing_files_are_reported_without_temporary_folders(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = make_component_clone(tmp_path / "src", "it", CASE, code="import 'none.libsonnet'")

    ran = commodore("component", "test", str(component))

    assert "hint: looked at " in ran.out
    assert not TEMPORARY.search(ran.out)


def test_files_of_a_package_s_components_are_named_by_their_place(
    commodore: CommandLine, tmp_path: Path
) -> None:
    package = a_package_with_cases(tmp_path)
    broken = {"component/main.jsonnet": "{ a: error 'oops' }"}
    commit_to(tmp_path / "remotes" / "one.git", broken)

    output = commodore("package", "test", str(package), "--case", "a").out
    kept = commodore("package", "test", str(package), "--case", "a", "--tmp-dir", "kept").out

    assert "\n       dependencies/one/component/main.jsonnet:1:6-18\n" in output
    assert not TEMPORARY.search(output)
    assert f"{tmp_path}/kept/a/dependencies/one/component/main.jsonnet:1:6-18" in kept


def test_notices_of_a_package_name_no_passing_folder(
    commodore: CommandLine, tmp_path: Path
) -> None:
    package = a_package_with_cases(tmp_path)
    filters = "[{type: jsonnet, filter: none.jsonnet, path: one}]"
    with (package / "tests/a.yml").open("a") as file:
        file.write(f"  commodore: {{postprocess: {{filters: {filters}}}}}\n")

    ran = commodore("package", "test", str(package), "--case", "a")

    assert "there is no file dependencies/one/none.jsonnet" in ran.err
    assert not TEMPORARY.search(ran.err)


@pytest.mark.parametrize(
    "below",
    ["inventory/classes/global", "dependencies", "catalog/manifests", "facts/clusters", "repos"],
)
def test_the_working_directory_is_found_from_its_folders(
    commodore: CommandLine, work: Path, facts: str, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    (work / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(work / below)
    compile_it = ("catalog", "compile", "c-demo-1", "--api-url", facts, "--local", "--dry-run")

    ran = commodore(*compile_it)
    refused = commodore("-d", ".", *compile_it)

    assert (ran.code, f"Working directory: {work}" in ran.err) == (0, True)
    assert refused.code == 2
    assert f"{work / below}\n  {work}" in refused.err
