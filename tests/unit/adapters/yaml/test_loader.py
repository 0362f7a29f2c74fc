"""The loader gives what PyYAML's safe loader on libyaml gives, and fails where that does."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from commodore_py.adapters.yaml import load_all
from commodore_py.adapters.yaml.error import YamlError

_CHARS = st.sampled_from("aZ09_-./:'\" #{}[]|>&*!,?%@`~\\=<$é\n\t")
_TEXTS = st.one_of(
    st.text(_CHARS, max_size=12),
    st.sampled_from(
        (
            *("yes", "no", "on", "off", "y", "n", "null", "~", "true", "True", "<<", "=", "'a'"),
            *("1", "01", "0o7", "0x1f", "1_000", "1e3", ".5", "1.5", ".inf", "-.inf", ".nan"),
            *("1:30", "2020-01-01", "a:b", "a#b", "-", "--", "---", "...", "--flag", "-1", "+1"),
            *("{}", "[]", "k8s.io/name"),
        )
    ),
)
_VALUES = st.recursive(
    st.one_of(_TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), st.dates()),
    lambda below: st.one_of(
        st.lists(below, max_size=4), st.dictionaries(_TEXTS, below, max_size=4)
    ),
    max_leaves=20,
)
_LINES = st.sampled_from(
    (
        *("a: 1", "b:", "  - x", "  c: 'it''s'", "- y", "? [a]", ": b", "k: !!str 1", "!!map x: 1"),
        *("<<: {a: 2}", "on: off", "1: 2", "2020-01-01: t", "s: !!set {x, y}", "m: !!map [a]"),
        *(
            "i: !!int x",
            "!!str [a]: b",
            "x: &x [1]",
            "y: *x",
            "f: 1.5",
            "n: ~",
            "---",
            "...",
            "# c",
        ),
        *(
            "b: !!binary aGk=",
            "o: !!omap [a: 1]",
            "t: 2020-01-01 10:00:00",
            "- - -",
            "{a: }",
            "z: |",
        ),
    )
)


@given(value=_VALUES, flow=st.sampled_from([False, None]))
def test_dumped_values_are_read_as_pyyaml_reads_them(value: object, flow: bool | None) -> None:
    check(yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True))


@given(lines=st.lists(_LINES, max_size=6))
@example(lines=["m: !!map x"])
@example(lines=["!!map x: 1"])
@example(lines=["- !!str {=: 1}"])
def test_unusual_tags_are_read_as_pyyaml_reads_them(lines: list[str]) -> None:
    check("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 0x1f, 1e3, .5, 1_000, 010, yes, ~, null, '1', !!str 1, 2020-01-02, =, <<]\n",
        "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 1}\n",
        "1: a\ntrue: b\n? [1]\n: c\n",
        "<<: {a: 1}\nb: 2\n",
        "a: !!binary aGk=\nb: !!set {x, y}\n",
        "a: 1\na: 2\n",
        "",
        "--- a\n---\n--- [.inf, -.INF]\n",
    ],
)
def test_odd_documents_are_read_as_pyyaml_reads_them(text: str) -> None:
    check(text)


def check(text: str) -> None:
    try:
        expected = list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError, TypeError, AttributeError):
        with pytest.raises(YamlError):
            load_all(text, name="x.yaml")
    else:
        # As strings: types and the order of keys count, and NaN equals itself.
        assert repr(load_all(text, name="x.yaml")) == repr(expected)


class _Loader(yaml.CSafeLoader):
    """With a lone `=` as Kapitan reads it."""


def _construct_text(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> object:
    return loader.construct_scalar(node)


_Loader.add_constructor("tag:yaml.org,2002:value", _construct_text)
