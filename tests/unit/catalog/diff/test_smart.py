"""What a migration hides, and what it must not."""

from commodore_py.catalog.diff.text import (
    IGNORE_YAML_FORMATTING,
    KAPITAN_0_29_TO_0_30,
    diff_text,
    is_noise,
    normalised,
)
from commodore_py.model.catalog import Change, FileChange
from tests.support.tables import each

HEADER = ["--- a", "+++ a", "@@ -1 +1 @@"]


def diff(old: str, new: str, migration: str) -> list[str]:
    file = FileChange("modified", "a", "a", old.encode(), new.encode())
    return [line.text[5:] for line in diff_text(Change((file,)), migration=migration)[1:]]


@each(
    ("one", "other"),
    [
        ("kind: 'A'\nb: 1\n", "b: 1\nkind: A\n"),
        ("l:\n- 1\n", "l: [1]\n"),
        ("---\nkind: A\n", "kind: A\n"),
        ("kind: B\n---\nkind: A\n", "kind: A\n---\nkind: B\n"),
        ("kind: A\n---\n", "---\n---\nkind: A\n"),
        (
            "kind: A\nmetadata: {name: y}\n---\nkind: A\nmetadata: {name: x}\n",
            "kind: A\nmetadata: {name: x}\n---\nkind: A\nmetadata: {name: y}\n",
        ),
        (
            "metadata: {name: a, namespace: z}\n---\nmetadata: {name: b, namespace: y}\n",
            "metadata: {name: b, namespace: y}\n---\nmetadata: {name: a, namespace: z}\n",
        ),
    ],
)
def test_form_and_order_of_objects_do_not_count(one: str, other: str) -> None:
    assert normalised(one.encode()) == normalised(other.encode()) is not None


def test_objects_of_one_identity_keep_their_order() -> None:
    assert (
        normalised(b"kind: A\nn: 2\n---\nkind: A\nn: 1\n") == "kind: A\nn: 2\n---\nkind: A\nn: 1\n"
    )


def test_names_may_be_numbers() -> None:
    text = b"metadata: {name: 7}\n---\nmetadata: {name: x}\n---\nkind: null\nmetadata: null\n"

    assert normalised(text) == (
        "kind: null\nmetadata: null\n---\nmetadata:\n  name: 7\n---\nmetadata:\n  name: x\n"
    )


def test_a_real_change_shows_in_normal_form() -> None:
    old = "kind: A\nmetadata: {name: x}\nl:\n- 1\n"
    new = "kind: A\nmetadata:\n    name: x\nl: [1, 2]\n"

    assert diff(old, new, IGNORE_YAML_FORMATTING) == [
        "--- a",
        "+++ a",
        "@@ -1,6 +1,7 @@",
        " kind: A",
        " l:",
        "   - 1",
        "+  - 2",
        " metadata:",
        "   name: x",
    ]


@each("migration", [IGNORE_YAML_FORMATTING, KAPITAN_0_29_TO_0_30])
@each(
    "old",
    [
        "a: [\n",
        "- 1\n",
        "text\n",
        "metadata: text\n",
        "kind: A\n---\n7\n",
        "day: 2031-13-45\n",
        "a: &a [*a]\n",
        "a: !odd 1\n",
    ],
)
def test_what_are_not_objects_is_compared_line_by_line(old: str, migration: str) -> None:
    assert diff(old, "kind:   A\n", migration) == diff(old, "kind:   A\n", "")


@each(
    ("lines", "hidden"),
    [
        (["-a", "+b"], False),
        ([" a", "-b", " c"], True),
        ([" a", "+b", " c", "-d", "@@ -9 +9 @@", "+e"], True),
        ([" a", "-b", "-c", " d"], False),
        (["-null", "----"], True),
        (["-null", "---- null", "----"], True),
        (["-null", "-kind: A"], False),
        (["----", "-null"], False),
        (
            [
                "-    app.kubernetes.io/managed-by: Tiller",
                "+    app.kubernetes.io/managed-by: Helm",
            ],
            True,
        ),
        (["-  heritage: Tiller", "+  heritage: Helm"], True),
        (["-  heritage: Tiller", "+  app.kubernetes.io/managed-by: Helm"], False),
        (["+  heritage: Helm", "-  heritage: Tiller"], False),
        (["-  heritage: Helm", "+  heritage: Tiller"], False),
    ],
)
def test_neighbours_decide_what_came_from_kapitan(lines: list[str], hidden: bool) -> None:
    assert is_noise([*HEADER, *lines], migration=KAPITAN_0_29_TO_0_30) == hidden


def test_labels_of_the_former_helm_are_hidden_in_a_whole_file() -> None:
    old = "kind: A\nmetadata:\n  labels: {heritage: Tiller, x: y}\n"
    new = "kind: A\nmetadata:\n  labels: {heritage: Helm, x: y}\n"

    assert "1 changed file" in diff(old, new, KAPITAN_0_29_TO_0_30)[0]
    assert "+    heritage: Helm" in diff(old, new, IGNORE_YAML_FORMATTING)


def test_one_change_that_counts_shows_the_noise_too() -> None:
    old = "kind: A\nmetadata:\n  labels:\n    heritage: Tiller\n    x: 1\n"
    new = "kind: A\nmetadata:\n  labels:\n    heritage: Helm\n    x: 2\n"

    lines = diff(old, new, KAPITAN_0_29_TO_0_30)

    assert {"+    heritage: Helm", "+    x: 2"} < set(lines)
