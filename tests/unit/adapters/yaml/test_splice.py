"""Changes of one node of a text: what a person wrote around it stays as it is."""

from __future__ import annotations

import pytest

from commodore_py.adapters.yaml import splice
from commodore_py.errors import CommodoreError

TEXT = """\
# what this is
parameters:
  shop:
    replicas: 1   # per zone
    # which ones
    zones:
      - a
      -   b  # far

    note: |
      hello

      world

  # end of the shop
  short: {a: 1, b: [x, y]}
  ~empty:
    k: v
  nothing:
"""


def lines_changed(before: str, after: str) -> str:
    """Lines that went away and came, in the notation of a diff."""
    old, new = before.split("\n"), after.split("\n")
    start = next(
        (index for index, (one, other) in enumerate(zip(old, new, strict=False)) if one != other),
        min(len(old), len(new)),
    )
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone = [f"-{line}" for line in old[start : len(old) - end]]
    return "\n".join([*gone, *(f"+{line}" for line in new[start : len(new) - end])])


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("shop.replicas", 3, "-    replicas: 1   # per zone\n+    replicas: 3   # per zone"),
        (
            "shop.replicas",
            {"min": 1},
            "-    replicas: 1   # per zone\n+    replicas:   # per zone\n+      min: 1",
        ),
        ("shop.zones", "c", "-    zones:\n-      - a\n-      -   b  # far\n+    zones: c"),
        ("shop.zones.1", "c", "-      -   b  # far\n+      -   c  # far"),
        (
            "shop.note",
            "one line",
            "-    note: |\n-      hello\n-\n-      world\n+    note: one line",
        ),
        ("short.b", "z", "-  short: {a: 1, b: [x, y]}\n+  short: {a: 1, b: z}"),
        (
            "short.c",
            {"d": "x, y"},
            "-  short: {a: 1, b: [x, y]}\n+  short: {a: 1, b: [x, y], c: {d: 'x, y'}}",
        ),
        ("nothing", True, "-  nothing:\n+  nothing: true"),
        ("nothing.deep.er", "0o17", "+    deep:\n+      er: '0o17'"),
        ("shop.text", "a\nb\n", "+    text: |\n+      a\n+      b"),
        ("new", [1, {"a": None}], "+  new:\n+    - 1\n+    - a: null"),
    ],
)
def test_put(path: str, value: object, expected: str) -> None:
    after = splice.put(TEXT, path_of(path), value)
    assert lines_changed(TEXT, after) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("shop.replicas", "-    replicas: 1   # per zone"),
        ("shop.zones.0", "-      - a"),
        ("short.a", "-  short: {a: 1, b: [x, y]}\n+  short: {b: [x, y]}"),
        ("short.b", "-  short: {a: 1, b: [x, y]}\n+  short: {a: 1}"),
        # An override of nothing still overrides.
        ("empty.k", "-  ~empty:\n-    k: v\n+  ~empty: {}"),
        ("nothing", "-  nothing:"),
    ],
)
def test_take(path: str, expected: str) -> None:
    assert lines_changed(TEXT, splice.take(TEXT, path_of(path))) == expected


def test_comment_lines_are_not_removed_with_what_they_stand_in() -> None:
    after = splice.take(TEXT, path_of("shop"))
    assert "    # which ones\n" in after
    assert "  # end of the shop\n" in after
    assert "# per zone" not in after


def test_mappings_that_would_be_left_empty_go_too() -> None:
    text = "parameters:\n  a:\n    b:\n      c: 1\n  d: 2\n"
    assert splice.take(text, path_of("a.b.c")) == "parameters:\n  d: 2\n"
    text = "parameters:\n  a:\n    b: 1\n"
    assert splice.take(text, path_of("a.b")) == "parameters: {}\n"


def test_add() -> None:
    assert lines_changed(TEXT, splice.add(TEXT, path_of("shop.zones"), ["c", "d"])) == (
        "+      - c\n+      - d"
    )
    assert lines_changed(TEXT, splice.add(TEXT, path_of("short.b"), ["yes"])) == (
        "-  short: {a: 1, b: [x, y]}\n+  short: {a: 1, b: [x, y, 'yes']}"
    )
    assert lines_changed(TEXT, splice.add(TEXT, path_of("nothing"), [1])) == ("+    - 1")


def test_a_mapping_is_changed_key_by_key() -> None:
    after = splice.put(TEXT, path_of("short"), {"a": 2, "b": ["x", "z"]})
    assert lines_changed(TEXT, after) == (
        "-  short: {a: 1, b: [x, y]}\n+  short: {a: 2, b: [x, z]}"
    )


def test_keys_that_are_sorted_stay_so() -> None:
    text = "parameters:\n  a: 1\n  c: 3\n"
    assert splice.put(text, path_of("b"), 2) == "parameters:\n  a: 1\n  b: 2\n  c: 3\n"


def test_other_line_ends_and_indentations_are_followed() -> None:
    text = "parameters:\r\n    a:\r\n        b: 1\r\n    l:\r\n    - 1"
    assert splice.put(text, path_of("a.c"), {"d": [1]}) == (
        "parameters:\r\n    a:\r\n        b: 1\r\n"
        "        c:\r\n            d:\r\n            - 1\r\n"
        "    l:\r\n    - 1"
    )
    assert splice.add(text, path_of("l"), [2]) == f"{text}\r\n    - 2"


def test_a_file_of_comments_gets_its_first_value() -> None:
    assert splice.put("# later", path_of("a"), 1) == "# later\nparameters:\n  a: 1\n"
    assert not splice.put("", ("classes",), ["a"]).removeprefix("classes:\n  - a\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("parameters:\n  a: &x {b: 1}\n  c: *x\n", "anchor &x is used in line 3, too"),
        ("parameters:\n  c: &x {b: 1}\n  a: *x\n", "alias *x stands for the value"),
        ("parameters:\n  a: 1\n  ~a: {b: 1}\n", "key `a` stands here twice"),
        ("parameters:\n  a:\n    <<: {b: {c: 1}}\n", "`<<` merges a mapping here"),
        ("parameters:\n  a: !!map {b: 1}\n", "tag tag:yaml.org,2002:map"),
        ("parameters:\n  ? a\n  : b: 1\n", "this form of a key"),
        ("parameters:\n  a: text\n", "this is not a mapping"),
        ("parameters:\n  a:\n    x: |\n      text", "the file ends in this text"),
        ("a: 1\n---\nb: 1\n", "more than one document"),
        ("parameters: {", "not valid YAML"),
    ],
)
def test_what_cannot_be_edited_alone_is_refused(text: str, problem: str) -> None:
    with pytest.raises(CommodoreError, match=problem.replace("*", r"\*")) as caught:
        splice.put(text, ("parameters", "a", "b", "c"), 1, name="c.yml")
    assert str(caught.value.where).startswith("c.yml")


def path_of(path: str) -> tuple[str | int, ...]:
    parts = (int(part) if part.isdigit() else part for part in path.split("."))
    return ("parameters", *parts)
