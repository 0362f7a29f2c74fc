"""Texts that would crash a parser or fill the memory are errors with a place, at every door."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.error import (
    MOST_ALIASED,
    MOST_DIGITS,
    MOST_LEVELS,
    YamlError,
)
from commodore_py.adapters.yaml.parts import compose
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

MANY = 20_000
DOORS: dict[str, Callable[[str], Any]] = {
    "load": lambda text: yaml.load(text.encode(), name="f.yaml"),
    "load of a string": lambda text: yaml.load(text, name="f.yaml"),
    "load_all": lambda text: yaml.load_all(text.encode(), name="f.yaml"),
    "compose": lambda text: compose(text.encode(), name="f.yaml"),
}
VALUES = [name for name in DOORS if name != "compose"]
DEEP = {
    "lists": "[" * MANY,
    "lists that are closed": "[" * MANY + "]" * MANY,
    "mappings in lists": "[{" * MANY,
    "keys with lists": "{a: [" * MANY,
    "JSON": '{"a":[' * MANY,
    "list items on one line": "- " * MANY + "a",
    "questions on one line": "? " * MANY,
    "both on one line": "- ? " * MANY,
    "more and more indented": "".join(f"{' ' * level}a:\n" for level in range(1_200)),
    "lists where their keys are": "".join(
        f"{' ' * level}a:\n{' ' * level}-\n" for level in range(600)
    ),
    "lists below tags": "!!seq [" * MANY,
    "lists below anchors": "".join(f"&a{n} [" for n in range(MANY)),
    "lists below long tags": f"!<{'a,b' * 100}> [" * 5_000,
    "lists far from their tags": f"!!seq{' ' * 300}[" * 5_000,
    "lists below comments": "[ # a\n" * MANY,
    "lists after other values": "[a, 'b', {c: d}, " * MANY,
    "lists after strings that close": "[ ']', \"]\", " * MANY,
    "lists in carriage returns": "[\r" * MANY,
    "lists in other line breaks": "[\x85\u2028" * MANY,
    "flow in a block": "- " * 240 + "[" * 240,
}
GROWING = {
    "lists": "d0: &d0 [lol, lol]\n"
    + "".join(f"d{n}: &d{n} [*d{n - 1}, *d{n - 1}]\n" for n in range(1, 41)),
    "mappings": "d0: &d0 {a: lol}\n"
    + "".join(f"d{n}: &d{n} {{a: *d{n - 1}, b: *d{n - 1}}}\n" for n in range(1, 41)),
    "merge keys": "d0: &d0 {a: 1}\n"
    + "".join(f"d{n}: &d{n} {{<<: [*d{n - 1}, *d{n - 1}]}}\n" for n in range(1, 41)),
    "a long string": f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 1_000)}]\n",
}


@each("door", DOORS)
@each("form", DEEP)
def test_deep_nesting_is_error_with_line(door: str, form: str) -> None:
    with pytest.raises(YamlError, match=f"nested deeper than {MOST_LEVELS} levels") as caught:
        DOORS[door](DEEP[form])

    assert caught.value.where.startswith("f.yaml:")
    assert caught.value.line


def test_deep_nesting_in_utf_16_is_error() -> None:
    with pytest.raises(YamlError, match="nested deeper"):
        yaml.load(("- " * MANY).encode("utf-16"), name="f.yaml")


@each("door", VALUES)
@each(
    "text",
    ["[" * 240 + "]" * 240, "- " * 240 + "a", "".join(f"{' ' * n}a:\n" for n in range(240))],
)
def test_yaml_below_depth_limit_is_read(door: str, text: str) -> None:
    assert DOORS[door](text) is not None


@each("door", VALUES)
@each("form", GROWING)
def test_multiplying_aliases_are_error_with_line(door: str, form: str) -> None:
    with pytest.raises(YamlError, match=f"aliases add more than {MOST_ALIASED:,} values") as caught:
        DOORS[door](GROWING[form])

    assert caught.value.line > 1


@each("door", VALUES)
def test_nesting_by_aliases_is_error(door: str) -> None:
    text = "d0: &d0 [1]\n" + "".join(f"d{n}: &d{n} [*d{n - 1}]\n" for n in range(1, 2_000))

    with pytest.raises(YamlError, match="levels by aliases") as caught:
        DOORS[door](text)

    assert caught.value.line > 240


@each("door", VALUES)
@each("text", ["&a [*a]", "a: &a {b: *a}", "a: &a\n  <<: *a", "- &a [[[*a]]]"])
def test_recursive_anchor_is_an_error(door: str, text: str) -> None:
    with pytest.raises(YamlError, match="refers to a value that contains it") as caught:
        DOORS[door](text)

    assert caught.value.line


@each("door", VALUES)
@each(
    "number",
    [
        "9" * (MOST_DIGITS + 1),
        "-" + "9" * MANY,
        "0x" + "f" * MANY,
        "0x" + "f" * (MOST_DIGITS - 10),
        "0" + "7" * MANY,
        "0b" + "1" * MANY,
        "1" + ":1" * MANY,
        "1" + "_" * MANY,
    ],
)
def test_integer_with_too_many_digits_is_error_with_line(door: str, number: str) -> None:
    with pytest.raises(YamlError, match="an integer of more than 4,300 digits") as caught:
        DOORS[door](f"a: 1\nb: {number}\n")

    assert caught.value.line == 2


def test_large_integers_are_read() -> None:
    digits = "9" * MOST_DIGITS

    assert yaml.load(f"a: {digits}".encode(), name="f.yaml") == {"a": int(digits)}


def test_many_aliases_of_small_value_are_read() -> None:
    text = "a: &a [1, 2, 3]\n" + "".join(f"b{n}: *a\n" for n in range(10_000))

    assert len(yaml.load(text.encode(), name="f.yaml")) == 10_001


@each(
    "text",
    [
        "a: !!python/object:os.system x",
        "a: !!python/object/apply:os.system [x]",
        "a: !!python/name:x",
    ],
)
@each("door", VALUES)
def test_python_tags_are_error(door: str, text: str) -> None:
    with pytest.raises(YamlError, match="could not determine a constructor"):
        DOORS[door](text)


def test_brackets_in_strings_are_not_nesting() -> None:
    text = f'a: "{"[{" * MANY}"\nb: |\n  {"[{" * MANY}\n'

    assert yaml.load(text.encode(), name="f.yaml")["b"] == "[{" * MANY + "\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("value", ["x" * 20_000_000, f"'{'its ' * 4_000_000}'"])
@pytest.mark.slow
def test_large_yaml_string_takes_limited_memory(value: str) -> None:
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from commodore_py.adapters import yaml\n"
        "value = yaml.load(sys.stdin.buffer.read(), name='f')['a']\n"
        # Not of `getrusage`: that counts the process it was forked from, too.
        "(most,) = re.findall(r'VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())\n"
        "print(len(value), int(most) // 1024)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        input=f"a: {value}\n".encode(),
        capture_output=True,
        check=True,
    )

    length, megabytes = map(int, done.stdout.split())
    assert length > 15_000_000
    assert megabytes < 400


@given(st.text(alphabet="[]{}:,-? \n\"'&*!|>#a1", max_size=60), st.integers(1, 400))
def test_any_text_is_read_or_refused(text: str, times: int) -> None:
    wheres = {where for door in DOORS.values() if (where := refused_at(door, text * times))}

    assert all(where.startswith("f.yaml") for where in wheres)


def refused_at(door: Callable[[str], Any], text: str) -> str:
    try:
        door(text)
    except YamlError as error:
        return error.where
    return ""


@each("text", ["a: 2020-13-45", "a: 0b_"])
def test_invalid_scalar_is_error(text: str) -> None:
    with pytest.raises(YamlError, match="not valid YAML"):
        yaml.load(text, name="file.yml")


@each(
    ("path", "line"),
    [((0,), 1), ((0, "a"), 1), ((0, "a", 0, "c"), 3), ((1, "x"), 6), ((1, "x", 1), 7)],
)
def test_line_of_a_value_is_found_by_its_path(path: tuple[object, ...], line: int) -> None:
    text = "a:\n  - b: 1\n    c: 2020-01-01\n---\n\nx:\n  1: 2\n"

    assert yaml.line_at(text, path) == line
