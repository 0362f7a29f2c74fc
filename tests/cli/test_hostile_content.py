"""Content and options that no reader can use: exit code 1 or 2, and words about what and where."""

from __future__ import annotations

import os
import shutil
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
HOSTILE = {
    "lists": ("[" * MANY, "nested deeper than 1,000 levels"),
    "list items": ("- " * MANY + "a", "nested deeper than 1,000 levels"),
    "mappings": ("{a: " * MANY, "nested deeper than 1,000 levels"),
    "aliases": (BOMB, "aliases add more than 2,000,000 values"),
    "an anchor in itself": ("a: &a\n  b: *a\n", "an alias refers to a value that contains it"),
    "an integer": ("a: " + "9" * 5_000, "an integer of more than 4,300 digits"),
    "a tag": ("a: !!python/name:os.system x", "could not determine a constructor"),
    "a null character": ("a: \0", "not valid YAML"),
}


@pytest.fixture
def own_facts(demo: Path, tmp_path: Path) -> Path:
    """The facts of the playground, to be changed."""
    return shutil.copytree(demo / "facts", tmp_path / "facts")


@pytest.mark.parametrize("form", HOSTILE)
@pytest.mark.parametrize("command", ["catalog list", "inventory facts c-demo-1"])
def test_hostile_facts_are_an_error_with_place(
    commodore: CommandLine, own_facts: Path, form: str, command: str
) -> None:
    content, problem = HOSTILE[form]
    (own_facts / "clusters/c-demo-1.yaml").write_text(content)

    ran = commodore(*command.split(), "--api-url", str(own_facts))

    assert ran.code in {1, 2}
    if ran.code == 1:
        assert problem in ran.err
        assert "c-demo-1.yaml" in ran.err


def test_facts_that_are_not_utf_8_are_an_error(commodore: CommandLine, own_facts: Path) -> None:
    (own_facts / "clusters/c-demo-1.yaml").write_bytes(b"id: c-demo-1\nx: \xff\n")

    ran = commodore("catalog", "list", "--api-url", str(own_facts))

    assert ran.code == 1
    assert "c-demo-1.yaml" in ran.err


@pytest.mark.parametrize("form", HOSTILE)
def test_lint_reports_hostile_files(commodore: CommandLine, tmp_path: Path, form: str) -> None:
    content, problem = HOSTILE[form]
    (tmp_path / "x.yml").write_text(content)

    ran = commodore("inventory", "lint", str(tmp_path))

    assert ran.code in {0, 1}
    assert problem in ran.out + ran.err


@each("form", HOSTILE)
def test_hostile_manifests_are_compared_as_texts(form: str) -> None:
    content = HOSTILE[form][0].encode()

    assert normalised(content) is None
    assert read(content, "a.yaml") is None


@each("levels", [101, 400, 990])
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
        ("--request-timeout", "999999999999", "catalog", "list"),
        ("--request-timeout", "9" * 5_000, "catalog", "list"),
        ("--request-timeout", "1e9", "catalog", "list"),
        ("catalog", "compile", "c-x", "--processes", "9" * 5_000),
        ("catalog", "compile", "c-x", "--processes", "99999999999999999999"),
        ("component", "sync", "x", "--github-pause", "99999999999999999999"),
    ],
)
def test_out_of_range_number_is_a_usage_error(
    commodore: CommandLine, words: tuple[str, ...]
) -> None:
    ran = commodore(*words)

    assert ran.code == 2
    assert "Invalid value for" in ran.err


@each("value", ["nope", "bash", "bash_", "_source", "sh_source", "bash_source "])
def test_unknown_completion_instruction_is_a_usage_error(
    commodore: CommandLine, value: str
) -> None:
    ran = commodore(_COMMODORE_COMPLETE=value)

    assert ran.code == 2
    assert f"error: _COMMODORE_COMPLETE is {value!r}" in ran.err
    assert "bash_source" in ran.err


STATE = ["running", "unreported.json", "unchanged", "reads.json", "journal/x.json"]


@pytest.mark.parametrize("file", STATE)
@pytest.mark.parametrize(
    "content",
    [
        *(b"[[[[[[[[[[[[", b"[" * MANY, b'{"a":' * MANY, b"9" * 5_000, b"", b"null", b"5", b"[]"),
        *(b"\xff\xfe", b"\0", b'{"began": 1e999, "ended": ' + b"9" * 400 + b"}", b'{"place": 5}'),
    ],
    ids=range(12),
)
def test_unreadable_state_is_ignored(
    commodore: CommandLine, tmp_path: Path, file: str, content: bytes
) -> None:
    path = tmp_path / ".commodore" / file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    ran = commodore("-d", str(tmp_path), "catalog", "compile", "c-x", "--api-url", str(tmp_path))

    assert ran.code == 1
    assert "error: no such folder" in ran.err


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
