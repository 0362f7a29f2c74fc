"""Generated documents through our YAML emitter and PyYAML's, as Commodore and Kapitan use it."""

from __future__ import annotations

import collections
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kapitan.utils import PrettyDumper

from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.errors import CommodoreError
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.adapters.yaml.scalars import Multiline


class NativesDumper(yaml.SafeDumper):
    """Values are JSON, in which no object is in two places."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


class CommodoreDumper(NativesDumper):
    """Block style, sequences indented below their key, several lines as a literal block."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - PyYAML's signature
        super().increase_indent(flow, indentless=False)


def _represent_string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


CommodoreDumper.add_representer(str, _represent_string)


@dataclass(frozen=True)
class Writer:
    """A style of ours, and PyYAML's dumper for the same bytes."""

    style: Style
    dumper: type[yaml.SafeDumper]


def _kapitan(name: str | None, multiline: Multiline) -> Writer:
    class Dumper(PrettyDumper.get_dumper_for_style(name)):  # type: ignore[misc] # chosen by name
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
            return True

    return Writer(Style(multiline=multiline), Dumper)


WRITERS = {
    "commodore": Writer(Style(), CommodoreDumper),
    "kapitan literal": _kapitan("literal", "literal"),
    "kapitan folded": _kapitan("folded", "folded"),
    "kapitan double-quotes": _kapitan("double-quotes", "double-quotes"),
    "kapitan default": _kapitan(None, "plain"),
    "kapitan with aliases": Writer(
        Style(aliases=True), PrettyDumper.get_dumper_for_style("literal")
    ),
    "natives": Writer(Style(indent_sequences=False, multiline="plain"), NativesDumper),
}

FRAGMENTS = (
    *"-?:,[]{}#&*!|>'\"%@`=<~.+$();/\\^_",
    *("- ", "? ", ": ", " #", "# ", "--- ", "---", "...", "<<", "''", '""', "\\n"),
    *("{}", "[]", "a: b", "key:", "*id001", "&id001", "!!str", "%YAML", "?{ref}"),
    *(" ", "  ", "\t", "\n", "\n\n", "\n ", " \n", "\r", "\r\n", "\x85", "\u2028", "\u2029\n"),
    *("\0", "\a", "\x1b", "\x7f", "\x9f", "\xa0", "\ud7ff", "\ud800", "\ue000", "\ufeff"),
    *("\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "ü", "日本", "\u0301"),
    *("a", "x1", "word", "n", "e3", "0", "12", "Z", "longerword", "w" * 21, "w" * 79, "w" * 85),
)
LOOK_ALIKES = (
    *("yes", "Yes", "no", "NO", "true", "TRUE", "false", "on", "OFF", "y", "N", "yEs", "tRue"),
    *("~", "null", "Null", "nUll", "", "<<", "=", "<", "!", "&", "*", "-", "+", ".", ".."),
    *("0", "-0", "+0", "00", "08", "010", "0_", "0o7", "0b1", "-0b1_0", "0b2", "0x1F", "0x"),
    *("1", "+1", "1_000", "_1", "1__", "9" * 40, "0x_", "12:30", "1:60", "01:30", "12:30:59"),
    *("190:20:30.15", "1:2.", "-1:0", "1.", ".1", "-.1", "1e3", "1.e+3", "1.0e-7", "1_0.0_1"),
    *("._1", "..1", ".inf", "-.inf", "+.INF", ".iNF", ".nan", ".NaN", "-.nan", "inf", "1.2.3"),
    *("2020-01-01", "2020-1-1", "20-01-01", "2020-01-01T00:00:00Z", "2020-1-1 1:00:00"),
    *("2020-01-01t00:00:00.5 +1", "2020-01-01 \t 00:00:00 -01:30", "2020-01-01T00:00"),
)
texts = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join),
    st.sampled_from(LOOK_ALIKES),
    st.tuples(st.sampled_from(LOOK_ALIKES), st.sampled_from(FRAGMENTS)).map("".join),
    # Lines that are broken, and a break or an escape around the width.
    st.lists(st.sampled_from(("w", "ww", "wwwww", "w" * 21, "'", "ü", "\n", "")), max_size=60).map(
        " ".join
    ),
    st.lists(st.sampled_from(("w", "a: b", "- w", "", " w", "w " * 40, "#")), min_size=2).map(
        "\n".join
    ),
    st.builds("{}{}".format, st.integers(60, 86).map("x".__mul__), st.sampled_from(FRAGMENTS)),
    st.text(max_size=8),
)
long_keys = st.builds(
    lambda size, start: (start * size)[:size],
    st.integers(119, 130),  # from 123 on, a key needs a question mark
    st.sampled_from(("k", "k l ", "k-", "ü", "k'", "k#: ")),
)
times = st.datetimes(
    timezones=st.sampled_from(
        [None, dt.UTC, dt.timezone(-dt.timedelta(hours=5.5)), dt.timezone(dt.timedelta(0, 3607))]
    )
)
scalars = st.one_of(
    texts,
    texts,
    texts,
    st.none(),
    st.booleans(),
    st.sampled_from((0, 80, -(2**63), 2**64, 10**122, -(10**121), 10**300)),
    st.floats(),
    st.sampled_from((0.1, 1e16, 1e22, 1e-5, 1e-7, 5e-324, 1.7976931348623157e308)),
    st.binary(max_size=120),
    st.dates(),
    times,
)
keys = st.one_of(
    texts,
    long_keys,
    scalars,
    st.tuples(texts),
)


def _around(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(values, max_size=4),
        st.dictionaries(keys, values, max_size=4),
        st.sets(texts, max_size=3),
        st.tuples(values, values),
        # One object in several places: an anchor and aliases, where the style has them.
        values.map(lambda value: [value, {"again": value}]),
    )


def _nested(levels: int, value: object = "x") -> object:
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


documents = st.lists(
    st.one_of(
        scalars,
        _around(st.recursive(scalars, _around, max_leaves=12)),
        # A text that may be broken near the width, after a key and some levels down.
        st.builds(
            lambda levels, key, text: _nested(levels, [text, {key: text}]),
            st.integers(0, 6),
            st.integers(1, 9).map("k".__mul__),
            st.builds(
                lambda size, end: "w" * size + end,
                st.integers(50, 90),
                st.sampled_from((" e", " end of it", "ü e", "' e", " ")),
            ),
        ),
    ),
    max_size=3,
)


CIRCLE: list[object] = ["in itself"]
CIRCLE.append(CIRCLE)


@settings(max_examples=max(200, settings().max_examples))
@given(name=st.sampled_from(sorted(WRITERS)), made=documents)
@example("commodore", [_nested(45)])
@example("kapitan with aliases", [CIRCLE])
@example("commodore", [[float("inf"), float("-inf"), float("nan")]])
def test_emitter_writes_the_bytes_of_pyyaml(name: str, made: Sequence[object]) -> None:
    writer = WRITERS[name]
    try:
        expected = yaml.dump_all(made, Dumper=writer.dumper, default_flow_style=False, indent=2)
    except (yaml.YAMLError, ValueError, RecursionError):
        with pytest.raises(CommodoreError):
            emit_documents(made, writer.style)
    else:
        assert emit_documents(made, writer.style) == expected


class _Text(str):
    __slots__ = ()


@each(
    "value",
    [
        *(object(), object, 1j, _Text("a"), frozenset({1}), collections.OrderedDict(a=1)),
        *(dt.time(1, 2), bytearray(b"a"), range(3), 10**5000, _nested(1200)),
    ],
)
@each("name", WRITERS)
def test_value_refused_by_pyyaml_is_error(name: str, value: object) -> None:
    with pytest.raises((yaml.YAMLError, ValueError, RecursionError)):
        yaml.dump_all([[value]], Dumper=WRITERS[name].dumper)
    with pytest.raises(CommodoreError):
        emit_documents([[value]], WRITERS[name].style)
