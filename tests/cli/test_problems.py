"""Options about problems, and the forms that they are printed in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

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


def test_ignore_file_of_linted_folder_is_read(commodore: CommandLine, folder: Path) -> None:
    (folder / NAME).write_text(
        f'ignore = [\n{{ code = "{ONE}", reason = "r" }},\n{{ code = "x" }} ]\n'
    )

    ran = commodore("inventory", "lint", str(folder))

    assert ran.code == 1
    assert f"{NAME}:3: an entry has no reason" in ran.out
    assert "(2 ignored)" in ran.out
    assert ONE not in ran.out


def test_output_formats_escape_hostile_names(commodore: CommandLine, folder: Path) -> None:
    (folder / "common.yml").write_text(HOSTILE)
    forms = ("text", "json", "sarif", "markdown")

    runs = {form: commodore("inventory", "lint", str(folder), "-o", form) for form in forms}

    assert {ran.code for ran in runs.values()} == {1}
    assert "\x1b" not in "".join(ran.out for ran in runs.values())
    (finding,) = json.loads(runs["json"].out)["findings"]
    assert finding["rule"] == ONE
    (result,) = json.loads(runs["sarif"].out)["runs"][0]["results"]
    assert result["ruleId"] == ONE
    assert runs["markdown"].out.splitlines()[-1].count("|") == 5


def test_ignored_problem_is_suppressed_in_sarif(commodore: CommandLine, folder: Path) -> None:
    (folder / NAME).write_text(f'ignore = [{{ code = "{ONE}", reason = "later" }}]\n')

    ran = commodore("inventory", "lint", str(folder), "-o", "sarif")

    results = json.loads(ran.out)["runs"][0]["results"]
    assert {one["suppressions"][0]["justification"] for one in results} == {"later"}
