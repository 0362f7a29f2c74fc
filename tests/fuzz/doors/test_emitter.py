"""The door of the YAML emitter: every value is written so that it reads back, or is refused."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any

import yaml
from hypothesis import strategies as st

from commodore_py.adapters.yaml.emitter import Style, emit, emit_documents
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, as_value

LEAVES = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=" \n\t'\"\\:#-,[]{}&*!|>%@`=~\0\x1b\x85\u2028\ufeff\ud800ä", max_size=40),
    st.sampled_from(NAMES),
    st.floats(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.binary(max_size=20),
    st.dates(),
    st.datetimes(),
    st.sampled_from(["@deep:200@", "@deep:2000@", "@map:2000@", "@huge:5000@", "@long:20000@"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=200) | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=20,
)
STYLES = st.tuples(st.booleans(), st.sampled_from(["plain", "literal", "folded"]))


def feed(case: tuple[Any, tuple[bool, Any]]) -> None:
    given, (indent, multiline) = case
    value = as_value(given)
    style = Style(indent_sequences=indent, multiline=multiline)
    text = emit(value, style)
    emit_documents([value, value], style)
    if len(text) < 20_000 and "@" not in repr(given) and "\\ud" not in repr(given):
        assert _same(yaml.load(text, Loader=yaml.CSafeLoader), value), text


def _same(one: object, other: object) -> bool:
    match one, other:
        case dict(), dict():
            return len(one) == len(other) and all(
                any(_same(key, b) and _same(one[key], other[b]) for b in other) for key in one
            )
        case list(), list():
            return len(one) == len(other) and all(map(_same, one, other))
        case float(), float():
            return one == other or (math.isnan(one) and math.isnan(other))
        case ((date() | datetime()), _):
            return str(one) == str(other)
    return type(one) is type(other) and one == other


def test_emitter() -> None:
    plain = (False, "plain")
    survives(
        feed,
        st.tuples(VALUES, STYLES),
        ({"a": [1, "b"]}, plain),
        ("@deep:100000@", plain),
        ("@map:100000@", plain),
        ("@huge:100000@", plain),
        (["@long:2000000@"], plain),
        ("\ud800", plain),
    )
