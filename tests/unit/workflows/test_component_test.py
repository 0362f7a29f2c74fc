"""Parts of `component test`: test cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.testing.cases import find_suite
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


CRUFT = """{"template": "t", "commit": "c", "context": {"cookiecutter":
  {"test_cases": "c b", "slug": "it", "add_golden": "n"}}}"""
CASES = {f"tests/{name}.yml": "" for name in "abc"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ["a", "b", "c"]),
        ({"tests/a.expect.yml": ""}, ["a", "b", "c"]),
        ({".cruft.json": CRUFT}, ["c", "b"]),
        ({".cruft.json": CRUFT, "tests/golden/a/x": ""}, ["c", "b", "a"]),
    ],
)
def test_cases_are_listed_by_record_or_files(
    tmp_path: Path, files: Mapping[str, str], expected: list[str]
) -> None:
    suite = find_suite("component", written(tmp_path, {**CASES, **files}))

    assert [case.name for case in suite.cases] == expected


def test_golden_output_can_be_disabled_by_template(tmp_path: Path) -> None:
    assert find_suite("component", written(tmp_path, CASES)).golden
    assert not find_suite("component", written(tmp_path, {".cruft.json": CRUFT})).golden


@pytest.mark.parametrize("link", ["tests/golden", "tests/golden/defaults", "tests"])
def test_golden_output_outside_of_component_is_refused(tmp_path: Path, link: str) -> None:
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


@each("name", ["../../../elsewhere", "../../docs", "a/b", "..", "-x"])
def test_invalid_case_in_record_is_refused(tmp_path: Path, name: str) -> None:
    files = {"tests/defaults.yml": "", ".cruft.json": CRUFT.replace("c b", f"defaults {name}")}
    folder = written(tmp_path / "component-own", files)

    with pytest.raises(CommodoreError, match="is not a valid name of a test case") as failed:
        find_suite("component", folder)

    assert failed.value.where == str(folder / ".cruft.json")


def test_golden_link_to_other_folder_of_component_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path, {"tests/defaults.yml": "", "docs/x.md": "", "tests/golden/a/x": ""})
    (folder / "tests" / "golden" / "defaults").symlink_to(folder / "docs")

    with pytest.raises(CommodoreError, match=r"case defaults is outside of .*golden"):
        find_suite("component", folder)
