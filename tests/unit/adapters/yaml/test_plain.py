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
    )
)


def agrees(text: str) -> bool:
    """Whether the text was read; then, the safe loader has read the same."""
    found = yaml_plain.load(text.encode())
    if found is yaml_plain.UNUSUAL:
        return False
    # As text: types and the order of keys count, and NaN equals itself.
    assert repr([found]) == repr(list(yaml.load_all(text, Loader=yaml.CSafeLoader)))
    return True


@given(value=_VALUES, flow=st.sampled_from([False, None]), width=st.sampled_from([20, 80, 10_000]))
def test_what_dumpers_write(value: object, flow: bool | None, width: int) -> None:
    """Dumped in the usual ways."""
    agrees(yaml.safe_dump(value, default_flow_style=flow, width=width, allow_unicode=True))
    agrees(yaml.safe_dump(value, default_flow_style=flow, explicit_start=True, sort_keys=False))


@given(parts=st.lists(_PARTS, max_size=14))
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


def test_an_object_is_read() -> None:
    """The texts that it is made for."""
    assert agrees(_DEPLOYMENT)
    assert agrees("---\n" + _DEPLOYMENT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: |\n  text\n",
        "a: b\n  c\n",
        "a: b\n  - c\n",
        "a: 'b\n  c'\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !t b\n",
        "a: b # why\n",
        "# why\na: b\n",
        "a: 2020-01-01\n",
        "on: push\n",
        "a: b\n---\nc: d\n",
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

    assert sum(map(agrees, texts)) > len(texts) / 3
