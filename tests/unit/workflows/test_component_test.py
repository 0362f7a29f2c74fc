"""Parts of `component test`: Makefiles, command lines, paths of fields, watched files."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.watch import Watched
from commodore_py.errors import CommodoreError
from commodore_py.manifests.paths import parse_path
from commodore_py.workflows.authoring.testing.cases import Arguments, find_suite
from commodore_py.workflows.authoring.testing.component import Settings, request_for
from commodore_py.workflows.authoring.testing.expect import Expectations, values_at
from commodore_py.workflows.authoring.testing.makefile import Unknowable, Variables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = x\n", "x"),
        ("a = x # why\n", "x"),
        ("a ?= x\na ?= y\n", "x"),
        ("a ?= x\na = y\n", "y"),
        ("a := x\na += y\n", "x y"),
        ("a += y\n", "y"),
        ("b = 1\na = $(b)${b}$$\n", "11$"),
        ("a = x \\\n  y\n", "x y"),
        ("export a = x\n", "x"),
        ("t: a += y\na = x\nt: dep ## about it\n\ta = z\n", "x y"),
        ("other: a = y\na = x\n", "x"),
        ("t u: a = y\n", "y"),
        ("ifeq (a,b)\na = x\nendif\n", "x"),
        ("include inner.mk\na += y\n", "inner y"),
        ("-include inner.mk none.mk\n", "inner"),
        ("", ""),
    ],
)
def test_variables_of_a_makefile(tmp_path: Path, text: str, expected: str) -> None:
    written(tmp_path, {"Makefile": text, "inner.mk": "a = inner\ninclude Makefile\n"})

    assert Variables.read(tmp_path).text("a", targets=("t",)) == expected


@pytest.mark.parametrize("text", ["$(shell ls)", "$(nowhere)", "$(a)", "$x"])
def test_what_only_make_knows(tmp_path: Path, text: str) -> None:
    written(tmp_path, {"Makefile": f"a = {text}\n"})

    with pytest.raises(Unknowable):
        Variables.read(tmp_path).text("a")


@pytest.mark.parametrize("levels", [6, 19])
@pytest.mark.parametrize("last", ["", "xxxxxxxxxx"])
def test_variables_that_multiply_end(tmp_path: Path, levels: int, last: str) -> None:
    lines = [f"a{at} = {f'$(a{at - 1})' * 10}\n" for at in range(1, levels)]
    written(tmp_path, {"Makefile": f"a0 = {last}\n{''.join(lines)}"})
    variables = Variables.read(tmp_path)

    if not last:
        assert variables.text(f"a{levels - 1}") == ""
    else:
        with pytest.raises(Unknowable, match="more than 100000 characters"):
            variables.text(f"a{levels - 1}")


@pytest.mark.parametrize("option", ["-J ", "--search-paths=", "-f "])
@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../beside", "outside of the component"),
        ("link", "outside of the component"),
        ("{home}/.kube", "credentials"),
        ("{home}", "not everything may be read"),
        ("/proc/self", "nothing in /proc is read"),
        ("/", "not everything may be read"),
    ],
)
def test_what_a_makefile_names_is_judged(
    tmp_path: Path, empty_home: Path, option: str, path: str, says: str
) -> None:
    (tmp_path / "beside").mkdir()
    (empty_home / ".kube").mkdir()
    folder = tmp_path / "component-it"
    named = path.format(home=empty_home)
    written(folder, {**CASES, "Makefile": f"commodore_args = {option}{named}\n"})
    (folder / "link").symlink_to(tmp_path / "beside")
    suite = find_suite("component", folder)

    with pytest.raises(CommodoreError, match=says):
        request_for(suite, suite.cases[0], Settings(), strict=True)


@pytest.mark.long
def test_a_pattern_of_a_failure_that_never_ends(tmp_path: Path) -> None:
    written(tmp_path, {"a.expect.yml": 'fails: "(a+)+$"'})
    expected = Expectations.read(tmp_path / "a.expect.yml")

    (problem,) = expected.of_failure(CommodoreError("a" * 50 + "b"))

    assert "took more than 5 seconds" in str(problem)


def test_arguments_in_every_spelling() -> None:
    words = "-J a --search-paths=b -Jc -n x --name y -f v.yml --offline -a i tests/t.yml"

    found = Arguments.parse(words.split())

    assert found == Arguments(("a", "b", "c"), ("v.yml",), "y", "i", ("tests/t.yml",))


MATRIX = """\
jobs:
  test: {strategy: {matrix: {instance: [b, a]}}}
  lint: {strategy: {matrix: {command: [x]}}}
"""
CRUFT = """{"template": "t", "commit": "c", "context": {"cookiecutter":
  {"test_cases": "c b", "slug": "it", "add_golden": "n"}}}"""
CASES = {f"tests/{name}.yml": "" for name in "abc"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ["a", "b", "c"]),
        ({"tests/a.expect.yml": ""}, ["a", "b", "c"]),
        ({".cruft.json": CRUFT}, ["c", "b"]),
        ({".cruft.json": CRUFT, ".github/workflows/test.yaml": MATRIX}, ["b", "a"]),
        ({"Makefile": "test_instances = tests/c.yml tests/d.yml\n"}, ["c", "d"]),
        ({"Makefile": "test_instances = tests/c.yml\n", "tests/golden/a/x": ""}, ["c", "a"]),
    ],
)
def test_who_lists_the_cases(tmp_path: Path, files: Mapping[str, str], expected: list[str]) -> None:
    suite = find_suite("component", written(tmp_path, {**CASES, **files}))

    assert [case.name for case in suite.cases] == expected


def test_expected_output_is_wanted_unless_the_template_disables_it(tmp_path: Path) -> None:
    assert find_suite("component", written(tmp_path, CASES)).golden
    assert not find_suite("component", written(tmp_path, {".cruft.json": CRUFT})).golden


VALUE = {
    "a": [{"name": "x", "v": 1}, {"name": "y", "v": 2}],
    "b.c": {"d": {"v": 3}},
    "e": None,
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a[name=x].v", [1]),
        ("a[0].v", [1]),
        ("a[*].v", [1, 2]),
        ("a[name=x,v=1].v", [1]),
        ("a[name=x,v=2].v", []),
        ('"b.c".d.v', [3]),
        ("*.d.v", [3]),
        ("**.v", [1, 2, 3]),
        ("e", [None]),
        ("e.f", []),
        ("a.name", []),
        ("none", []),
    ],
)
def test_values_at_a_path(path: str, expected: list[object]) -> None:
    assert list(values_at(VALUE, parse_path(path))) == expected


def test_a_change_is_one_of_content(tmp_path: Path) -> None:
    written(tmp_path, {"a": "1", "sub/b": "1", "gone": "1", "vendor/x": "1", ".git/x": "1"})
    watched = Watched([tmp_path], ["vendor"])

    assert watched.changed() == ()
    os.utime(tmp_path / "a", ns=(1, 1))
    written(tmp_path, {"vendor/x": "2", ".git/x": "2"})
    assert watched.changed() == ()
    written(tmp_path, {"sub/b": "2", "sub/new": "", "sub/vendor/y": ""})
    (tmp_path / "gone").unlink()
    assert [str(file.relative_to(tmp_path)) for file in watched.changed()] == [
        "gone",
        "sub/b",
        "sub/new",
        "sub/vendor/y",
    ]
    assert watched.changed() == ()


@pytest.mark.parametrize("link", ["tests/golden", "tests/golden/defaults", "tests"])
def test_expected_output_lies_in_the_component(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    folder = written(tmp_path / "component-own", {"class/own.yml": "", "class/defaults.yml": ""})
    for name in ("golden/defaults", "defaults"):
        (outside / name).mkdir(parents=True)
    (outside / "defaults.yml").write_text("")
    if link != "tests":
        written(folder, {"tests/defaults.yml": ""})
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(outside)

    with pytest.raises(CommodoreError, match="the expected output of case defaults is outside of"):
        find_suite("component", folder)


def test_a_case_is_not_the_name_of_a_folder_elsewhere(tmp_path: Path) -> None:
    matrix = "jobs: {test: {strategy: {matrix: {instance: [../../../elsewhere]}}}}"
    files = {"tests/defaults.yml": "", ".github/workflows/test.yaml": matrix}

    with pytest.raises(CommodoreError, match=r"case \.\./\.\./\.\./elsewhere is outside of"):
        find_suite("component", written(tmp_path / "component-own", files))


def test_a_file_that_cannot_be_read_is_not_watched(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"")
    os.truncate(tmp_path / "large", 1 << 40)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "fifo")
    watched = Watched([tmp_path])

    written(tmp_path, {"a": "1"})

    assert watched.changed() == (tmp_path / "a",)


@pytest.mark.long
def test_a_file_that_always_changes_is_told_of(tmp_path: Path) -> None:
    watched, ended = Watched([tmp_path]), threading.Event()

    def write() -> None:
        number = 0
        while not ended.wait(0.05):
            number += 1
            written(tmp_path, {"log": str(number)})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert watched.wait() == (tmp_path / "log",)
    finally:
        ended.set()
        writer.join()
