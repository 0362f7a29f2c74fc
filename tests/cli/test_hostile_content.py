"""Contents and options beyond all limits: exit codes, and no failure of a reader."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.catalog.diff.text import normalised
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.manifests.documents import read
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

MANY = 100_000
BOMB = "d0: &d0 [lol, lol]\n" + "".join(
    f"d{n}: &d{n} [*d{n - 1}, *d{n - 1}]\n" for n in range(1, 41)
)
HOSTILE = (
    "[" * MANY,
    "- " * MANY + "a",
    "{a: " * MANY,
    BOMB,
    "a: &a\n  b: *a\n",
    "a: " + "9" * 5_000,
    "a: !!python/name:os.system x",
    "a: \0",
)


@each("text", HOSTILE)
def test_hostile_manifests_are_compared_as_texts(text: str) -> None:
    content = text.encode()

    assert normalised(content) is None
    assert read(content, "a.yaml") is None


@each("levels", [251, 400, 990])
def test_deeply_nested_manifests_are_compared_as_text(levels: int) -> None:
    content = f"kind: X\nv: {'[' * levels}{']' * levels}\n".encode()

    assert read(content, "a.yaml") is None
    assert normalised(content) is None or yaml.load_all(content, name="")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("a.b.c=json:" + "[" * MANY, "nested too deeply"),
        ("a=json:" + '{"a":' * 50_000, "nested too deeply"),
        ("a=json:" + "9" * 5_000, "an integer of more than 4,300 digits"),
        (".".join("a" * 5_000) + "=1", "a key of more than 100 parts"),
    ],
)
def test_dynamic_fact_beyond_limit_is_an_error(
    commodore: CommandLine, facts: str, tmp_path: Path, value: str, problem: str
) -> None:
    words = ("-d", str(tmp_path), "catalog", "compile", "c-demo-1", "--api-url", facts)

    ran = commodore(*words, "-d", value)

    assert ran.code == 1
    assert f"error: dynamic fact {value[:1]}" in ran.err
    assert problem in ran.err


@each(
    "words",
    [
        ("--request-timeout", "9" * 5_000, "catalog", "list"),
        ("catalog", "compile", "c-x", "--processes", "9" * 5_000),
    ],
)
def test_out_of_range_number_is_a_usage_error(
    commodore: CommandLine, words: tuple[str, ...]
) -> None:
    ran = commodore(*words)

    assert ran.code == 2
    assert "Invalid value for" in ran.err


@pytest.mark.parametrize("kind", ["file", "broken link", "link to itself", "FIFO"])
def test_journal_that_is_no_folder_is_ignored(tmp_path: Path, kind: str) -> None:
    paths = WorkPaths(tmp_path)
    journal = paths.state / "journal"
    journal.parent.mkdir()
    match kind:
        case "file":
            journal.write_text("x")
        case "broken link":
            journal.symlink_to("nowhere")
        case "link to itself":
            journal.symlink_to("journal")
        case _:
            os.mkfifo(journal)

    assert list(Journal.of(paths).open_intents()) == []
