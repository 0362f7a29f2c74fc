"""Diffs of text show which values of a secret changed, and none of the values."""

from __future__ import annotations

from pathlib import Path

from commodore_py.catalog.diff.text import diff_text
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.documents import read
from commodore_py.manifests.secret_texts import masked_texts
from commodore_py.manifests.secrets import hidden, masked
from commodore_py.model.catalog import Change, FileChange
from tests.support.tables import each, load_yaml

HEAD = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
OLD, NEW = "c4nary-old", "c4nary-new"
FILE = Path(__file__).parents[2] / "golden/functions/masked_versions.yaml"
CHANGED = [
    (case["old"], case["new"])
    for name, case in load_yaml(FILE)["cases"].items()
    if name.startswith("a changed value is shown as changed")
]


@each(("old", "new"), CHANGED)
def test_changed_secret_is_compared_but_not_shown(old: str, new: str) -> None:
    assert "c4nary" not in "".join(masked_texts(old.encode(), new.encode()))
    before, after = (read(text.encode(), "a.yaml", hide=hidden) for text in (old, new))

    assert "c4nary" not in repr((before, after))
    if before is not None and after is not None and "#" not in old:
        assert before != after
        assert "c4nary" not in repr([*map(masked, object_changes(before.objects, after.objects))])


def test_secret_copied_by_anchor_is_masked() -> None:
    text = HEAD + f"  annotations: {{x: &pw {OLD}}}\nstringData:\n  pw: *pw\n"

    found = read(text.encode(), "a.yaml", hide=hidden)

    assert found is not None
    assert OLD not in repr(found)
    assert OLD not in masked_texts(text.encode(), b"")[0]


def test_long_chain_of_merges_is_masked() -> None:
    chain = "".join(f"a{at}: &a{at}\n  <<: *a{at - 1}\n" for at in range(1, 100))
    text = f"kind: Secret\na0: &a0 {{x: {OLD}}}\n{chain}stringData:\n  <<: *a99\n"

    assert OLD not in masked_texts(text.encode(), b"")[0]


def test_secret_with_invalid_utf8_is_masked() -> None:
    old, _ = masked_texts(HEAD.encode() + b"stringData:\n  pw: c4nary\xff\n", b"")

    assert "c4nary" not in old


def test_catalog_diff_masks_secret_values() -> None:
    content = HEAD + "stringData:\n  pw: {}\n"
    file = FileChange(
        "modified",
        "manifests/a/secret.yaml",
        "manifests/a/secret.yaml",
        content.format(OLD).encode(),
        content.format(NEW).encode(),
        0o100644,
        0o100644,
    )

    lines = [line.text.strip() for line in diff_text(Change((file,)))]

    assert "-  pw: *** (old)" in lines
    assert "+  pw: *** (new)" in lines
