"""Repositories from templates: what we make and update is what Commodore does, and `make` works."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.authoring import files_below
from tests.support.builders import commit_in, git
from tests.support.commodore import clean_environment, find_commodore, outcome_of
from tests.support.templates import change_template, make_template

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
_NEW_SECONDS = 10
OURS = Path(sys.executable).with_name("commodore")
NEW = ("--owner", "acme", "--copyright", "Me <me@example.com>", "--output-dir", ".")


@pytest.fixture(scope="session")
def commodore() -> Path:
    return find_commodore()


def run(program: Path | str, folder: Path, *words: str) -> tuple[int, str]:
    """Run a program as a stranger; its exit code and all that it said."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = clean_environment(folder.parent / "home")
    environment["PATH"] = f"{OURS.parent}{os.pathsep}{environment['PATH']}"
    return outcome_of([str(program), *words], folder, environment)


def both(commodore: Path, tmp_path: Path, *words: str) -> None:
    """The same words for us and for Commodore."""
    for name, program in (("ours", OURS), ("commodore", commodore)):
        more = ("--trust",) if name == "ours" else ()
        code, output = run(program, tmp_path / name, *words, *more)
        assert code == 0, output[-2000:]


def made_by(tmp_path: Path, name: str) -> dict[str, bytes]:
    found = files_below(tmp_path / name / "my-comp")
    return {path: content for path, content in found.items() if not path.startswith(".git/")}


def test_custom_template_matches_commodore(commodore: Path, tmp_path: Path) -> None:
    template = make_template(tmp_path / "template")
    both(
        commodore,
        tmp_path,
        *("component", "new", "my-comp", *NEW, "--template-url", str(template)),
        *("-t", "extra", "--lib", "--add-automerge-patch-block-depname", "some.thing"),
    )
    assert made_by(tmp_path, "ours") == made_by(tmp_path, "commodore")

    readme = (template / "{{ cookiecutter.slug }}" / "README.md").read_text()
    change_template(template, {"README.md": readme.replace("two", "theirs"), "new/file": "new\n"})
    git(template, "rm", "--quiet", "{{ cookiecutter.slug }}/class/{{ cookiecutter.slug }}.yml")
    commit_in(template, {})
    for name in ("ours", "commodore"):
        made = tmp_path / name / "my-comp"
        text = (made / "README.md").read_text()
        (made / "raw" / "kept").unlink()
        commit_in(made, {"README.md": text.replace("six", "mine"), "own": "x\n"})
    both(
        commodore,
        tmp_path,
        *("component", "update", "my-comp", "-t", "more", "--no-lib"),
        *("--remove-test-case", "extra", "--remove-automerge-patch-block-depname", "some.thing"),
        *("--add-automerge-patch-block-pattern", "^z", "--no-automerge-patch"),
    )

    assert made_by(tmp_path, "ours") == made_by(tmp_path, "commodore")
    subjects = {git(tmp_path / n / "my-comp", "log", "--format=%s") for n in ("ours", "commodore")}
    assert subjects == {"Update from template\nMine\nInitial commit"}
    messages = {
        git(tmp_path / n / "my-comp", "log", "-1", "--format=%B") for n in ("ours", "commodore")
    }
    assert len(messages) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("component", "new", "component-x"),
        ("package", "new", "global"),
        ("component", "new", "my-comp", "--output-dir", "nowhere"),
        ("component", "new", "taken", "--output-dir", "."),
        ("component", "new", "my-comp", "--template-url", "/nowhere/template"),
        ("component", "update", "nowhere"),
        ("component", "update", "taken"),
        ("component", "delete", "nope"),
    ],
)
def test_invalid_arguments_exit_with_same_code(
    commodore: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    codes = []
    for name, program in (("ours", OURS), ("commodore", commodore)):
        (tmp_path / name / "taken").mkdir(parents=True)
        owner = ("--owner", "acme") if "new" in words else ()
        codes.append(run(program, tmp_path / name, *words, *owner)[0])

    assert codes[0] == codes[1] != 0


def test_new_component_passes_its_make_targets(tmp_path: Path) -> None:
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, output = run(OURS, tmp_path / "ours", "component", "new", "my-comp", *NEW, "-t", "two")
    assert code == 0, output
    made = tmp_path / "ours" / "my-comp"

    for words in (("test",), ("golden-diff-all",)):
        code, output = run("make", made, *words)
        assert code == 0, output
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime < _NEW_SECONDS
    for words in (("gen-golden-all",), ("help",), ("clean",)):
        code, output = run("make", made, *words)
        assert code == 0, output

    assert git(made, "status", "--porcelain") == ""
    (made / "tests" / "two.yml").write_text("parameters: {my_comp: {namespace: changed}}\n")
    main = "{ made: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: params.namespace } } }"
    text = (made / "component" / "main.jsonnet").read_text()
    (made / "component" / "main.jsonnet").write_text(text.replace("{\n}", main))
    code, output = run("make", made, "golden-diff", "-e", "instance=two")
    assert code == 2
    assert "+  name: changed" in output
    assert run("make", made, "gen-golden-all")[0] == 0
    assert run("make", made, "golden-diff-all")[0] == 0


def test_component_test_output_matches_make_golden(tmp_path: Path) -> None:
    code, output = run(OURS, tmp_path, "component", "new", "my-comp", *NEW, "-t", "two", "--lib")
    assert code == 0, output
    made = tmp_path / "my-comp"
    code, output = run(OURS, made, "component", "test", "--offline", "--strict")
    assert code == 0, output
    assert "2 cases: 2 passed" in output
    assert git(made, "status", "--porcelain") == ""

    main = made / "component" / "main.jsonnet"
    value = "{ a: import 'lib/my-comp.libsonnet', 'b.c': [params.namespace], nothing: null }"
    main.write_text(main.read_text().replace("{\n}", value))

    assert run(OURS, made, "component", "test")[0] == 1
    assert run(OURS, made, "component", "test", "--update")[0] == 0
    code, output = run("make", made, "golden-diff-all")
    assert code == 0, output
    written = files_below(made / "tests" / "golden")
    assert run("make", made, "gen-golden-all")[0] == 0
    assert files_below(made / "tests" / "golden") == written


def test_new_component_compiles_same_with_commodore(commodore: Path, tmp_path: Path) -> None:
    code, output = run(OURS, tmp_path, "component", "new", "my-comp", *NEW)
    assert code == 0, output

    code, output = run("make", tmp_path / "my-comp", "golden-diff", f"COMMODORE_CMD={commodore}")

    assert code == 0, output[-2000:]


@pytest.mark.parametrize("kind", ["component", "package"])
def test_new_project_passes_its_lint(tmp_path: Path, kind: str) -> None:
    tools = {"jsonnetfmt": "lint_jsonnet", "yamllint": "lint_yaml", "vale": "lint_adoc"}
    there = [verb for tool, verb in tools.items() if shutil.which(tool)]
    if kind == "package":
        there = ["lint_commodore", *(verb for verb in there if verb != "lint_jsonnet")]
    if not there:
        pytest.skip("none of jsonnetfmt, yamllint and vale is installed")
    more = ("--lib", "--pp") if kind == "component" else ()
    code, output = run(OURS, tmp_path, kind, "new", "my-comp", *NEW, *more)
    assert code == 0, output

    code, output = run("make", tmp_path / "my-comp", *there)

    assert code == 0, output
    assert "[warning]" not in output


def test_wheel_contains_all_template_files(tmp_path: Path) -> None:
    if subprocess.run(
        [sys.executable, "-c", "import hatchling"], capture_output=True, check=False
    ).returncode:
        pytest.skip("hatchling is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

    wheel = next(tmp_path.glob("*.whl"))
    held = {name for name in zipfile.ZipFile(wheel).namelist() if "/lib/templates/" in name}

    listed = git(ROOT, "ls-files", "commodore_py/lib/templates").splitlines()
    assert held == {*listed}
    assert len(listed) > 60
