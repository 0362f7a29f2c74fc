"""The YAML emitter in each style: what tests of its default do not show, and what is refused."""

from __future__ import annotations

import argparse
import collections
import datetime as dt
import json
import math
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.yaml.emitter import Style, Unwritable, emit, emit_documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.adapters.yaml.scalars import Multiline

FOLDED = Style(multiline="folded")
ESCAPED = Style(multiline="double-quotes")
QUOTED = Style(multiline="plain")
ALIASES = Style(aliases=True)
NATIVES = Style(indent_sequences=False, multiline="plain")
LONG = f"{'w' * 40} {'x' * 40} y z"
KEY = "k" * 123


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, [2, {"b": [3]}]]}, "a:\n- 1\n- - 2\n  - b:\n    - 3\n"),
        ([[1], {"a": [{"b": 1, "c": []}]}], "- - 1\n- a:\n  - b: 1\n    c: []\n"),
        ({KEY: [1]}, f"? {KEY}\n: - 1\n"),
        ({(1, 2): [3]}, "? - 1\n  - 2\n: - 3\n"),
    ],
)
def test_lists_of_the_natives_stand_in_the_column_of_their_key(value: object, text: str) -> None:
    assert emit(value, NATIVES) == text


@pytest.mark.parametrize(
    ("text", "style", "written"),
    [
        ("a\nb", FOLDED, ">-\n  a\n\n  b\n"),
        ("a\n  b\nc\n", FOLDED, ">\n  a\n    b\n  c\n"),
        ("\na\n\n", FOLDED, ">2+\n\n  a\n\n...\n"),
        (f"{LONG}\n", FOLDED, f">\n  {'w' * 40} {'x' * 40}\n  y z\n"),
        ("a \nb", FOLDED, '"a \\nb"\n'),
        ("a\nb", ESCAPED, '"a\\nb"\n'),
        ("a\nb\n\n", ESCAPED, '"a\\nb\\n\\n"\n'),
        ("a\nb", QUOTED, "'a\n\n  b'\n"),
        ("a\n\n", QUOTED, "'a\n\n\n  '\n"),
        ("it's\n", QUOTED, "'it''s\n\n  '\n"),
        ("a\n b", QUOTED, '"a\\n b"\n'),
        ("a\u2028b", FOLDED, '"a\\Lb"\n'),
        ("a\x85\nb", FOLDED, '"a\\N\\nb"\n'),
        ("\ufeffa", FOLDED, '"\\uFEFFa"\n'),
        ("\ud800", FOLDED, '"\\uD800"\n'),
        ("\n", Style(), "|2+\n\n...\n"),
        (f": {LONG}", Style(), f"': {'w' * 40} {'x' * 40}\n  y z'\n"),
        (f"ü{LONG}", Style(), f'"\\xFC{"w" * 40} {"x" * 40}\\\n  \\ y z"\n'),
    ],
)
def test_text_of_several_lines_follows_the_style(text: str, style: Style, written: str) -> None:
    assert emit({"m": text}, style) == f"m: {written}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dt.date(2020, 1, 2), "2020-01-02\n...\n"),
        (dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC), "2020-01-02 03:04:05+00:00\n...\n"),
        (
            dt.datetime(2020, 1, 2, tzinfo=dt.timezone(dt.timedelta(seconds=7))),
            "!!timestamp '2020-01-02 00:00:00+00:00:07'\n",
        ),
        (b"a", "!!binary |\n  YQ==\n"),
        ({b"": b""}, '? !!binary ""\n: !!binary ""\n'),
        ({"a": {3, 1}}, "a: !!set\n  1: null\n  3: null\n"),
        ([set()], "- !!set {}\n"),
        ((1, ()), "- 1\n- []\n"),
        ({(): 1}, "[]: 1\n"),
        ({"b": 1, 1: 2, "a": 3}, "b: 1\n1: 2\na: 3\n"),
        ({None: 1}, "null: 1\n"),
        ({True: -0.0}, "true: -0.0\n"),
        ([math.inf, -math.inf, math.nan, 1e16], "- .inf\n- -.inf\n- .nan\n- 1.0e+16\n"),
        ({10**123: 1}, f"? {10**123}\n: 1\n"),
        ({10**121: 1}, f"{10**121}: 1\n"),
        ({KEY: {"a": 1, "b": 2}}, f"? {KEY}\n: a: 1\n  b: 2\n"),
        ({KEY: {}}, f"? {KEY}\n: {{}}\n"),
        ({"\u2028": 1}, '? "\\L"\n: 1\n'),
    ],
)
def test_rare_values_and_keys(value: object, text: str) -> None:
    assert emit(value) == text


@pytest.mark.parametrize(
    ("style", "item"), [(ALIASES, "    - 1"), (NATIVES._replace(aliases=True), "  - 1")]
)
def test_what_is_in_several_places_is_written_once(style: Style, item: str) -> None:
    one: list[object] = [1]
    two = {"o": one}
    day = dt.date(2020, 1, 2)

    assert emit([two, one, {day: day}, two], style) == (
        f"- &id003\n  o: &id001\n{item}\n- *id001\n- &id002 2020-01-02: *id002\n- *id003\n"
    )


def test_anchors_start_again_in_each_document() -> None:
    one = ["a"]

    text = emit_documents([[one, one], one, [one, one]], ALIASES)

    assert text == "- &id001\n  - a\n- *id001\n---\n- a\n---\n- &id001\n  - a\n- *id001\n"


def test_list_can_hold_itself_where_there_are_aliases() -> None:
    endless: list[object] = []
    endless.append(endless)

    assert emit(endless, ALIASES) == "&id001\n- *id001\n"


def test_blank_beyond_the_width_is_lost_as_in_pyyaml() -> None:
    value: object = " a\n"
    for _ in range(41):
        value = {"k": value}

    assert emit(value, FOLDED).endswith(f"k: >2\n{' ' * 82}a\n")


@pytest.mark.parametrize(("levels", "between"), [(30, " "), (31, f"\n{' ' * 64}")])
def test_anchor_counts_to_the_width(levels: int, between: str) -> None:
    moment = dt.datetime(2020, 1, 2)  # noqa: DTZ001 - as YAML reads one without a zone
    value: object = [moment, moment]
    for _ in range(levels):
        value = {"k": value}

    assert f"- &id001 2020-01-02{between}00:00:00\n" in emit(value, ALIASES)


def test_a_text_is_a_document_for_each_character() -> None:
    assert emit_documents("a1") == "a\n--- '1'\n"
    assert emit_documents("") == ""


class _Text(str):
    __slots__ = ()


class _Day(dt.date):
    pass


@pytest.mark.parametrize(
    "value",
    [
        *(1j, object(), _Text("a"), _Day(2020, 1, 2), collections.OrderedDict(), frozenset({1})),
        *(dt.time(1), range(2)),
    ],
)
def test_other_types_are_refused(value: object) -> None:
    for document in (value, [value], {"a": value}, {"a": [{"b": value}]}):
        with pytest.raises(Unwritable, match=f"{type(value).__name__} cannot be written as YAML"):
            emit(document)


def test_type_that_equals_text_is_refused_as_a_key() -> None:
    emit({"known": 1})

    with pytest.raises(Unwritable, match="_Text cannot be written as YAML"):
        emit({_Text("known"): 1})


def test_nesting_without_end_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["a"] = [endless]

    with pytest.raises(Unwritable, match="nested too deeply"):
        emit(endless)


def test_number_of_too_many_digits_is_refused() -> None:
    with pytest.raises(Unwritable, match="digits"):
        emit({"a": 10**5000})


DOCUMENT = {
    "a": ["x\ny\n", {"b": [1.5, None, True, "yes", LONG]}],
    "c": {"": "ü", "d": [], KEY: "a\n\nb"},
    "e": " a\nb: c",
}


@pytest.fixture
def _kapitan_caches() -> Iterator[None]:
    from kapitan import cached  # slow, and only this needs it

    before = dict(vars(cached))
    yield
    vars(cached).update(before)


@pytest.mark.usefixtures("_kapitan_caches")
@pytest.mark.parametrize(
    ("name", "multiline"),
    [
        ("literal", "literal"),
        ("folded", "folded"),
        ("double-quotes", "double-quotes"),
        ("other", "plain"),
        (None, "literal"),
    ],
)
def test_kapitan_itself_writes_the_same(
    tmp_path: Path, name: str | None, multiline: Multiline
) -> None:
    from kapitan import cached
    from kapitan.inputs.base import CompiledFile
    from kapitan.refs.base import RefController

    cached.inv = {"t": {"parameters": {"multiline_string_style": name}}}
    cached.args = argparse.Namespace(yaml_multiline_string_style="literal")
    file = tmp_path / "a.yml"
    with CompiledFile(str(file), RefController(tmp_path), mode="w", target_name="t") as opened:
        opened.write_yaml([DOCUMENT, DOCUMENT, "x"])

    # Kapitan copies mappings and lists before it writes them: nothing of it is shared.
    assert emit_documents([DOCUMENT, DOCUMENT, "x"], Style(multiline=multiline)) == file.read_text()


def test_kapitans_natives_write_the_same() -> None:
    from kapitan.resources import yaml_dump, yaml_dump_stream

    assert emit(DOCUMENT, NATIVES) == yaml_dump(json.dumps(DOCUMENT))
    assert emit_documents([DOCUMENT, [], None], NATIVES) == yaml_dump_stream(
        json.dumps([DOCUMENT, [], None])
    )
