"""YAML byte for byte: what is quoted, folded, escaped and indented, and how."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.error import YamlError

if TYPE_CHECKING:
    from pathlib import Path

QUOTED = [
    *["true", "yes", "off", "null", "~", "1", "1.0", "0x1F", "010", "1_000", "0b1", ".inf", "+1"],
    *["12:30", "2020-01-01", "2020-01-01T00:00:00Z", "=", "<<", "-", "---", "#c", "*a", "&a"],
    *["@a", "%a", "!x", "|", "`a`", "[a]", "{a}"],
]
QUOTED_WITH_BLANKS = ["", ": x", "- x", "> a", "? a", "a: b", "a #b", " lead", "trail "]
PLAIN = [
    *["y", "n", "N", "1e3", "0o7", "1.2.3", ".", "it's", 'a "b"', "a\\b", "a, b", "?{ref}"],
    "text",
]


def dumped(value: object) -> str:
    return yaml.dump(value).decode()


@pytest.mark.parametrize("text", [*QUOTED, *QUOTED_WITH_BLANKS])
def test_text_that_would_be_something_else_is_quoted(text: str) -> None:
    assert dumped({"a": text}) == f"a: '{text}'\n"


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_is_plain(text: str) -> None:
    assert dumped({"a": text}) == f"a: {text}\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": 2, "B": 3}, "B: 3\na: 2\nb: 1\n"),
        ({"a": [1]}, "a:\n  - 1\n"),
        ({"a": [{"z": 1, "y": [1]}]}, "a:\n  - y:\n      - 1\n    z: 1\n"),
        ({"a": {}, "b": []}, "a: {}\nb: []\n"),
        ({"b": None}, "b: null\n"),
        ({"a": True, "b": False}, "a: true\nb: false\n"),
        ({"c": [[]], "d": [{}]}, "c:\n  - []\nd:\n  - {}\n"),
        (
            {"e": [[1, [2]], {"x": [1]}]},
            "e:\n  - - 1\n    - - 2\n  - x:\n      - 1\n",
        ),
    ],
)
def test_containers_are_blocks_with_lists_below_their_key(value: object, text: str) -> None:
    assert dumped(value) == text


def test_one_value_in_two_places_is_written_twice() -> None:
    shared = {"x": [1]}

    assert dumped([shared, shared]) == "- x:\n    - 1\n- x:\n    - 1\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3, "3"),
        (100000000000000000000, "100000000000000000000"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.0001, "0.0001"),
        (1e-7, "1.0e-07"),
        (5e-324, "5.0e-324"),
        (123456789.123, "123456789.123"),
    ],
)
def test_numbers_are_as_short_as_reads_back(number: float, text: str) -> None:
    assert dumped({"a": number}) == f"a: {text}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("l1\nl2\n", "|\n  l1\n  l2\n"),
        ("l1\nl2", "|-\n  l1\n  l2\n"),
        ("l1\n\n\n", "|+\n  l1\n\n\n...\n"),
        (" l1\nl2", "|2-\n   l1\n  l2\n"),
        ("\nl2", "|2-\n\n  l2\n"),
        ("trail \nx", '"trail \\nx"\n'),
        ("tab\there\nfoo", '"tab\\there\\nfoo"\n'),
        ("ü\nb", '"\\xFC\\nb"\n'),
        ("a\rb\nc", '"a\\rb\\nc"\n'),
        ("a\x07\nb", '"a\\a\\nb"\n'),
        ("grüezi", '"gr\\xFCezi"\n'),
        ("😀", '"\\U0001F600"\n'),
    ],
)
def test_lines_are_a_block_unless_a_block_cannot_hold_them(text: str, written: str) -> None:
    assert dumped({"m": text}) == f"m: {written}"


def test_long_text_is_folded_at_blanks_after_column_80() -> None:
    words = "aaaaaaaaa bbbbbbbbbbbbb ccccccccccccccc dddddddddddddddd eeeeeeeeeeeeee"

    assert dumped({"long": f"{words} {'f' * 17} {'g' * 13}"}) == (
        f"long: {words} {'f' * 17}\n  {'g' * 13}\n"
    )


def test_long_words_are_not_broken() -> None:
    assert dumped({"a": "x" * 200}) == f"a: {'x' * 200}\n"


def test_escaped_lines_go_on_after_a_backslash() -> None:
    written = dumped({"a": "ü\n" + "word " * 30})

    assert written.splitlines()[0].endswith("\\")
    assert written.splitlines()[1].startswith("  \\ word")
    assert yaml.load(written, name="")["a"] == "ü\n" + "word " * 30


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("", "? ''\n: 1\n"),
        ("k" * 122, f"{'k' * 122}: 1\n"),
        ("k" * 123, f"? {'k' * 123}\n: 1\n"),
        ("a\nb", "? |-\n  a\n  b\n: 1\n"),
    ],
)
def test_unusual_keys_are_explicit(key: str, written: str) -> None:
    assert dumped({key: 1}) == written


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1}, "a: 1\n"),
        ([], ""),
        ({}, "{}\n"),
        (None, "null\n...\n"),
        (5, "5\n...\n"),
        (True, "true\n...\n"),
        ("", "''\n"),
        ("x\ny\n", "|\n  x\n  y\n"),
        ([{}], "{}\n"),
        ([[]], "[]\n"),
        ([{}, {"a": 1}], "{}\n---\na: 1\n"),
        ([{"a": 1}, {}], "a: 1\n--- {}\n"),
        ([None], "null\n...\n"),
        ([None, {"a": 1}], "null\n---\na: 1\n"),
        ([{"a": 1}, None], "a: 1\n--- null\n...\n"),
        ([{"a": 1}, "x"], "a: 1\n--- x\n...\n"),
        ([{"a": 1}, "x\ny\n"], "a: 1\n--- |\n  x\n  y\n"),
        (["a", "b", "c"], "a\n--- b\n--- c\n...\n"),
    ],
)
def test_lists_are_one_document_an_element(value: object, text: str) -> None:
    assert yaml.dump_documents(value).decode() == text


@pytest.mark.parametrize("text", ["a: 2020-13-45", "a: 0b_"])
def test_value_that_cannot_be_made_is_an_error_of_ours(text: str) -> None:
    with pytest.raises(YamlError, match="not valid YAML"):
        yaml.load(text, name="file.yml")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((0,), 1),
        ((0, "a"), 1),
        ((0, "a", 0, "c"), 3),
        ((1, "x"), 6),
        ((1, "x", 1), 7),
        ((1, "y"), 6),
    ],
)
def test_line_of_a_value_is_found_by_its_path(path: tuple[object, ...], line: int) -> None:
    text = "a:\n  - b: 1\n    c: 2020-01-01\n---\n\nx:\n  1: 2\n"

    assert yaml.line_at(text, path) == line


def test_same_value_always_gives_the_same_bytes(tmp_path: Path) -> None:
    value = {"b": [1, {"c": dt.date(2020, 1, 1)}], "a": "x\ny"}
    file = tmp_path / "a.yml"
    file.write_bytes(yaml.dump(value))

    assert yaml.dump(yaml.load_file(file)) == file.read_bytes()
