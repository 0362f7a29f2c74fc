"""The file that says which problems are ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.problems.ignore_file import NAME, parse, read_ignore_file
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'code = "images/*", reason = "r"'


def test_entries_have_their_lines() -> None:
    text = (
        f'# why\nignore = [\n  {{ {GOOD} }},\n  {{ {GOOD}, match = "x", clusters = ["c"] }},\n]\n'
    )

    first, second = parse(text, "f").ignores

    assert (first.code, first.where) == ("images/*", "f:3")
    assert (second.match, second.clusters, second.where) == ("x", ("c",), "f:4")


def test_entries_may_be_tables_of_their_own() -> None:
    text = '[[ignore]]\ncode = "images/*"\nreason = "r"\n'

    assert [one.where for one in parse(text, "f").ignores] == ["f:1"]


@each(
    ("entry", "message"),
    [
        ('{ code = "images/*" }', "no reason"),
        ('{ code = "images/*", reason = "r", until = 2027-03-31 }', "unknown key until"),
        (f"{{ {GOOD}, clusters = 3 }}", "clusters is not a list"),
        (f"{{ {GOOD}, macth = 'x' }}", "unknown key macth"),
        (f"{{ {GOOD}, match = 3 }}", "match is not a string"),
        ("3", "not a table"),
    ],
)
def test_an_invalid_entry_is_an_error_without_effect(entry: str, message: str) -> None:
    found = parse(f"\nignore = [\n{entry}]\n", "f")

    assert found.ignores == ()
    (problem,) = found.problems
    assert (problem.code, problem.severity) == ("problems/invalid-entry", "error")
    assert message in problem.message
    assert problem.where == ("f:3" if entry != "3" else "f")


def test_an_unknown_code_is_a_warning_with_the_nearest() -> None:
    found = parse(f"ignore = [{{ {GOOD.replace('images/*', 'images/no-digst')} }}]", "f")

    (problem,) = found.problems
    assert (problem.code, problem.where) == ("problems/unknown-code", "f:1")
    assert problem.remedy == "did you mean images/no-digest?"


@each("text", ["ignore = 3", "ignore = [", "x = 1", "delegate = 3", "\x00"])
def test_an_invalid_file_is_an_error(text: str) -> None:
    assert {one.severity for one in parse(text, "f").problems} == {"error"}


def test_a_file_is_read_where_there_is_one(tmp_path: Path) -> None:
    assert read_ignore_file(tmp_path).ignores == ()

    (tmp_path / NAME).write_bytes(b"\xff")
    assert read_ignore_file(tmp_path).problems[0].code == "problems/invalid-entry"
