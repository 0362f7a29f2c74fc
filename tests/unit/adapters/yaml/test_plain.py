"""Reading line by line gives what the safe loader gives, or leaves the text to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from commodore_py.adapters.yaml import plain as yaml_plain
from tests.support.golden import golden_cases

GOLDEN = Path(__file__).parents[3] / "golden"
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
    st.one_of(_TEXTS, st.none(), st.booleans(), st.integers(), st.floats()),
    lambda below: st.one_of(
        st.lists(below, max_size=4), st.dictionaries(_TEXTS, below, max_size=4)
    ),
    max_leaves=20,
)
_PARTS = st.sampled_from(
    (
        *("a: ", "b: ", "c:", "- ", "-", "  ", "    ", "1", "x", "'y'", "'it''s'", '"z"', "{}"),
        *("[]", "on", "null", ": ", "#", "---", "...", "x y", "\n", "\n  ", "\n- ", "\n  - "),
        *("|", "|-", "|+", "\n\n", "\n    ", "\n---\n", "# why", "'y", "z'", '"', "\\", "\t", " "),
    )
)


_STARTS = st.sampled_from(("a: ", "b: ", "c:", "- ", "- a: ", "- - ", "", ""))
_REST = st.sampled_from(
    (
        *("x", "x y", "1", "2.5", "on", "'it''s'", '"z"', "{}", "[]", "|", "|-", "|", "|-", "|+"),
        *("'x", "y'", '"x\\', '"x', 'y"', '"x \\', '\\ y"', '"a\\nb', 'k\\"l"', "-", "- t", "# c"),
        *(
            "}} x",
            '"a", b',
            "'a' b",
            '"\\u2019e\\x41f \\U0001F6000"',
            '"\\ud800"',
            "> 0",
            "[a]",
            "&x y",
        ),
        *("*x", "!t z", ":q", "? c", "=~", "< 3", "{a: b}", "@a", "`b`", "12:30", "2020-01-01"),
        *("a: b", "x:", "'", '"', "---", "...", "x  ", " 'a'", "\tq", "|2", "> ", "%", "'a: b"),
        *("c: d'", "~", "null", "<<: x", "=", "\\", "", "  ", "?{vaultkv:a/b}"),
    )
)
_INDENTED = st.builds(
    lambda depth, start, rest: f"{' ' * depth}{start}{rest}",
    st.sampled_from((0, 0, 1, 2, 2, 3, 4, 4, 5, 6)),
    _STARTS,
    _REST,
)
_OTHERS = st.sampled_from(("---", "", "", "  ", "    ", "# x", "  # y", "..."))


def agrees(text: str) -> bool:
    """Whether the text was read; then, both of PyYAML's loaders have read the same."""
    found = yaml_plain.load_all(text.encode())
    if found is yaml_plain.UNUSUAL:
        return False
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        # As text: types and the order of keys count, and NaN equals itself.
        assert repr(found) == repr(list(yaml.load_all(text, Loader=loader)))
    return True


@given(value=_VALUES, flow=st.sampled_from([False, None]), width=st.sampled_from([20, 80, 10_000]))
def test_what_dumpers_write(value: object, flow: bool | None, width: int) -> None:
    """Dumped in the usual ways."""
    agrees(yaml.safe_dump(value, default_flow_style=flow, width=width, allow_unicode=True))
    agrees(yaml.safe_dump(value, default_flow_style=flow, explicit_start=True, sort_keys=False))


@given(parts=st.lists(_PARTS, max_size=20))
@example(parts=["c:", "\n- ", "a: ", "1", "\n  ", "b: ", "x", "\n", "a: ", "x"])
@example(parts=["- ", "- ", "x", "\n  - ", "x"])
@example(parts=["c:", "\n  ", "c:", "\n"])
def test_lines_put_together(parts: list[str]) -> None:
    """Whatever the lines make together, errors included: those are the safe loader's."""
    text = "".join(parts)
    try:
        agrees(text)
    except yaml.YAMLError as error:
        pytest.fail(f"{text!r} was read, though it is wrong: {error}")


@given(
    lines=st.lists(st.one_of(_INDENTED, _INDENTED, _INDENTED, _OTHERS), min_size=1, max_size=7),
    end=st.sampled_from(("\n", "", "\n\n")),
)
@example(lines=["- a: |-", "    x", "    ", "b:"], end="\n")
@example(lines=["a: |", "  x", "", "", "- a: |"], end="\n")
@example(lines=["b: x", "c: 1", "b: y", "  z"], end="\n")
@example(lines=["- y'", ' "x', '  k\\"l"'], end="\n")
@example(lines=[r'a: "\xFCe\u20190"'], end="\n")
@example(lines=["a: x", "  'a: b", "  c: d'"], end="\n")
def test_values_on_several_lines(lines: list[str], end: str) -> None:
    """Texts that go on, blocks as they are written, and what ends them."""
    text = "\n".join(lines) + end
    try:
        agrees(text)
    except yaml.YAMLError as error:
        pytest.fail(f"{text!r} was read, though it is wrong: {error}")


@given(lines=st.lists(st.text(_CHARS, max_size=10), max_size=6))
def test_any_text(lines: list[str]) -> None:
    """The same for characters that mean something somewhere."""
    text = "\n".join(lines)
    try:
        agrees(text)
    except yaml.YAMLError as error:
        pytest.fail(f"{text!r} was read, though it is wrong: {error}")


_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations: {}
  labels:
    app.kubernetes.io/name: web
  name: web
spec:
  replicas: 2
  template:
    spec:
      containers:
        - args:
            - --port=80
            - '1'
          image: registry.example.com/web:1.0
          name: web
        - env: []
          name: "other"
      volumes:
      - name: a
      - emptyDir: {}
        name: b
status:
"""


_SCRIPT = """\
# What a person wrote.
data:
  long: >-
    is left
"""
_TEXTS_OF_PROGRAMS = """\
---
data:
  script: |-

    #!/bin/sh
      echo "$1"

    exit

  # Why.
  other: |
    a: b
  folded: some text that was too long for
    its line, and 'quoted'
  single: 'it''s: a
    b'
  double: "\\u2019 a\\
    \\ b\\n\\tc
    d"
  below:
    this line
list:
- |
  - a
- b
  c
---
---
secret: ?{vaultkv:t-a/c-b/d/e:01234567}
"""


def test_an_object_is_read() -> None:
    """The texts that it is made for."""
    assert agrees(_DEPLOYMENT)
    assert agrees("---\n" + _DEPLOYMENT)
    assert agrees(_TEXTS_OF_PROGRAMS)
    assert not agrees(_SCRIPT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: b\n  - c\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !t b\n",
        "a: b # why\n",
        "a: 2020-01-01\n",
        "on: push\n",
        "a: b\n---\nc: d\n",
        "a: |+\n  b\n",
        "a: |2\n  b\n",
        "a: >\n  b\n",
        "a: |\n  b",
        "a: |\n  b\n  \n",
        "# why\n",
        "a: b\n" + "  longer\n" * 3_000,
        "a: b\r\n",
        "a: é\n",
        "? a\n: b\n",
        "a: {b: c}\n",
        '"a": b\n',
        "<<: {}\n",
        "a: b:\n",
        "plain\n",
    ],
)
def test_what_is_left_to_others(text: str) -> None:
    """More than the line shows."""
    assert yaml_plain.load(text.encode()) is yaml_plain.UNUSUAL


def test_our_own_files() -> None:
    """Much of the YAML that people write is read."""
    texts = [
        document
        for folder in GOLDEN.iterdir()
        for case in golden_cases(folder)
        for files in case.content.values()
        if isinstance(files, dict)
        for name, text in files.items()
        if name.endswith((".yaml", ".yml")) and isinstance(text, str)
        for document in re.split(r"^(?=---\s)", text, flags=re.MULTILINE)
    ]

    assert sum(map(agrees, texts)) > len(texts) / 2
