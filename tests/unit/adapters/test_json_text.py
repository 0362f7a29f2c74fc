"""JSON that exceeds a limit, or is none, is an error with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError

MANY = 100_000


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("\n" + "[" * MANY, "nested too deeply", 2),
        ("\n\n" + "[" * MANY + "]" * MANY, "nested too deeply", 3),
        ('{"a":\n' + '{"b":[' * MANY, "nested too deeply", 2),
        ('{"a": "' + "]" * MANY + '",\n"b": ' + "[" * MANY, "nested too deeply", 2),
        ('{"a":\n' + "9" * 5_000 + "}", "an integer of more than 4,300 digits", 2),
        ("[\n\n-" + "9" * MANY + "]", "an integer of more than 4,300 digits", 3),
        ("{\n\n", "not valid JSON", 3),
        ("", "not valid JSON", 1),
        ("0x10", "not valid JSON", 1),
    ],
)
@pytest.mark.parametrize("encoding", ["", "utf-8", "utf-16-le"])
def test_what_cannot_be_read_is_an_error_with_its_line(
    text: str, message: str, line: int, encoding: str
) -> None:
    with pytest.raises(JsonError, match=message) as caught:
        json_text.load(text.encode(encoding) if encoding else text, name="f.json")

    assert caught.value.line == line
    assert caught.value.where == f"f.json:{line}"
    assert caught.value.limit is not message.startswith("not valid")


def test_bytes_that_are_not_utf_8_are_an_error_with_their_line() -> None:
    with pytest.raises(JsonError, match="not UTF-8") as caught:
        json_text.load(b'{\n"a": "\xff"}', name="f.json")

    assert caught.value.where == "f.json:2"


def test_an_error_is_a_value_error_for_those_who_ignore_such_files() -> None:
    with pytest.raises(ValueError, match="not valid JSON"):
        json_text.load(b"{", name="f.json")


def test_numbers_and_strings_that_json_has_are_read() -> None:
    value = json_text.load('[1e999999, -1E+400, 1e-999999, "\\ud800", NaN]', name="f.json")

    assert value[:4] == [float("inf"), float("-inf"), 0.0, "\ud800"]


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_what_is_written_is_read(value: object) -> None:
    assert json_text.load(json.dumps(value), name="f.json") == value


@given(st.text(alphabet='[]{}:,"\\ \n1a', max_size=40), st.integers(1, 500))
def test_any_text_gives_a_value_or_an_error_of_ours(text: str, times: int) -> None:
    line = refused_at(text * times)

    assert line <= (text * times).count("\n") + 1


def refused_at(text: str) -> int:
    try:
        json_text.load(text, name="f.json")
    except JsonError as error:
        return error.line
    return 0
