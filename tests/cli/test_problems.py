"""Options about problems, and the forms that they are printed in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import yaml

from commodore_py.problems.ignore_file import NAME

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

ONE = "components/missing-version"
HOSTILE = 'parameters: {components: {"a::error::b <x> | \\u001b[31m\\u0001": {}}}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tenant"
    folder.mkdir()
    (folder / "common.yml").write_text("parameters:\n  components:\n    web: {}\n    app: {}\n")
    return folder


def test_problems_are_ignored_for_one_run(commodore: CommandLine, folder: Path) -> None:
    ran = commodore("inventory", "lint", str(folder), "--ignore", ONE)

    assert (ran.code, ran.out) == (0, "No errors 🎉 ✨ (2 ignored)\n")


def test_problems_are_ignored_by_place(commodore: CommandLine, folder: Path) -> None:
    ran = commodore("inventory", "lint", str(folder), "--ignore", f"{ONE}:*/common.yml:3")

    assert ran.code == 1
    assert "web" not in ran.out
    assert "app" in ran.out


@pytest.mark.spec("14.02")
def test_an_unknown_code_is_a_mistake_of_the_caller(commodore: CommandLine, folder: Path) -> None:
    ran = commodore("inventory", "lint", str(folder), "--ignore", "components/mising-version")

    assert ran.code == 2
    assert f"did you mean {ONE}?" in ran.err


@pytest.mark.spec("14.01")
@pytest.mark.parametrize(("severity", "code"), [("fatal", 2), ("error", 0), ("info", 1)])
def test_the_worst_severity_decides(
    commodore: CommandLine, folder: Path, severity: str, code: int
) -> None:
    ran = commodore("inventory", "lint", str(folder), "--max-severity", severity)

    assert ran.code == code


@pytest.mark.spec("14.06")
def test_a_baseline_accepts_what_was_there(commodore: CommandLine, folder: Path) -> None:
    commodore("inventory", "lint", str(folder), "--write-baseline", "known.json")
    (folder / "common.yml").write_text(
        "# moved\nparameters:\n  components:\n    web: {}\n    app: {}\n"
    )

    ran = commodore("inventory", "lint", str(folder), "--baseline", "known.json")

    assert (ran.code, ran.out) == (0, "No errors 🎉 ✨ (2 known)\n")


@pytest.mark.spec("14.03")
def test_the_file_of_a_folder_is_read(commodore: CommandLine, folder: Path) -> None:
    (folder / NAME).write_text(
        f'ignore = [\n{{ code = "{ONE}", reason = "r", until = 2999-01-01 }},\n{{ code = "x" }} ]\n'
    )

    ran = commodore("inventory", "lint", str(folder))

    assert ran.code == 1
    assert f"{NAME}:3: an entry has no reason" in ran.out
    assert "(2 ignored)" in ran.out
    assert ONE not in ran.out


@pytest.mark.spec("14.07")
def test_reports_of_hostile_names_are_valid(
    commodore: CommandLine, folder: Path, tmp_path: Path
) -> None:
    (folder / "common.yml").write_text(HOSTILE)
    forms = ("json", "yaml", "sarif", "junit", "markdown", "github")
    reports = [word for form in forms for word in ("--report", f"{form}={tmp_path / form}")]

    ran = commodore("inventory", "lint", str(folder), *reports)

    texts = {form: (tmp_path / form).read_text("utf-8") for form in forms}
    assert ran.code == 1
    assert "\x1b" not in ran.out + "".join(texts.values())
    (problem,) = json.loads(texts["json"])["problems"]
    assert problem["code"] == ONE
    assert yaml.safe_load(texts["yaml"])["failed"] is True
    (result,) = json.loads(texts["sarif"])["runs"][0]["results"]
    assert result["partialFingerprints"]["commodore"] == problem["fingerprint"]
    (suite,) = ET.fromstring(texts["junit"])  # noqa: S314 - our own
    assert suite.attrib["failures"] == "1"
    assert texts["markdown"].splitlines()[-1].count("|") == 5
    annotation, summary = texts["github"].splitlines()
    assert annotation.startswith("::error file=")
    assert "line=1::" in annotation
    assert summary == "::notice::Found 1 error"


def test_what_is_ignored_is_suppressed_in_sarif(commodore: CommandLine, folder: Path) -> None:
    (folder / NAME).write_text(
        f'ignore = [{{ code = "{ONE}", reason = "later", until = 2999-01-01 }}]\n'
    )

    ran = commodore("inventory", "lint", str(folder), "-o", "sarif")

    results = json.loads(ran.out)["runs"][0]["results"]
    assert {one["suppressions"][0]["justification"] for one in results} == {"later"}


def test_a_report_needs_a_form_and_a_file(commodore: CommandLine, folder: Path) -> None:
    for word in ("sarif", "xml=x", "sarif="):
        assert commodore("inventory", "lint", str(folder), "--report", word).code == 2
