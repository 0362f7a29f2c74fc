"""Diffs of text show which values of a secret changed, and none of the values."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from commodore_py.catalog.diff.text import diff_text
from commodore_py.manifests.secret_texts import masked_texts
from commodore_py.model.catalog import Change, FileChange

HEAD = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
OLD, NEW = "c4nary-old", "c4nary-new"
MANIFESTS = [
    HEAD + "stringData:\n  pw: {}\n",
    HEAD + "data:\n  pw: {}\n  other: x\n",
    HEAD + 'stringData:\n  pw: "{}"\n',
    HEAD + "stringData:\n  pw: '{}'\n",
    HEAD + "stringData:\n  pw: |\n    one\n    {}\n  other: x\n",
    HEAD + "stringData:\n  pw: |-\n    {}",
    HEAD + "stringData:\n  pw: >-\n    one\n    {}\n\n  other: x\n",
    HEAD + 'stringData:\n  pw: "one\n    {}"\n',
    HEAD + "stringData:\n  pw:\n  - {}\n",
    HEAD + "stringData: {{pw: {}, other: x}}\n",
    HEAD + "x: &a {}\nstringData:\n  pw: *a\n",
    HEAD + "stringData:\n  pw: !!str {}\n",
    HEAD.replace("\n", "\r\n") + "stringData:\r\n  pw: {}\r\n",
    "\ufeff" + HEAD + "stringData:\n  pw: {}\n",
    "stringData:\n  pw: {}\nkind: Secret\n",
    "'kind': 'Secret'\nstringData:\n  pw: {}\n",
    '"kind": "\\x53ecret"\nstringData:\n  pw: {}\n',
    '"\\u006bind": "Secret"\nstringData:\n  pw: {}\n',
    "a: b\n---\n" + HEAD + "stringData:\n  pw: {}\n---\nc: d\n",
    "%YAML 1.1\n---\n" + HEAD + "stringData:\n  pw: {}\n",
    "kind: List\nitems:\n- kind: Secret\n  stringData:\n    pw: {}\n",
    "kind: SecretList\nitems:\n- kind: List\n  items:\n  - kind: Secret\n    data:\n      pw: {}\n",
    '{{"kind": "Secret", "stringData": {{"pw": "{}"}}}}',
    '{{"items": [{{"stringData": {{"pw": "{}"}}, "kind": "Secret"}}], "kind": "List"}}',
    HEAD + "  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {}\n",
    HEAD + "stringData:\n  pw: [unclosed {}\n",
    HEAD + "stringData:\n  pw: {}\n  pw: {}\n",
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_changed_value_is_shown_as_changed(manifest: str) -> None:
    old, new = masked_texts(manifest.format(OLD, OLD).encode(), manifest.format(NEW, NEW).encode())

    assert "c4nary" not in old + new
    assert old != new
    changed = list(unified_diff(old.split("\n"), new.split("\n"), n=0))[2:]
    assert {line[0] for line in changed} == {"@", "-", "+"}
    assert len(changed) <= 5


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_an_equal_value_is_not(manifest: str) -> None:
    content = manifest.format(OLD, OLD)

    old, new = masked_texts(content.encode(), f"{content}\n# more\n".encode())

    assert "c4nary" not in old + new
    assert "(old)" not in old.replace("is not valid YAML) (old)", "")


def test_references_are_shown() -> None:
    manifest = HEAD + "stringData:\n  pw: {}\n  url: https://me:{}@host\n"

    old, new = masked_texts(
        manifest.format("?{vaultkv:t/c/a}", "?{vaultkv:t/c/a}").encode(),
        manifest.format("?{vaultkv:t/c/b}", "?{vaultkv:t/c/b}").encode(),
    )

    assert "pw: ?{vaultkv:t/c/a}\n" in old
    assert "pw: ?{vaultkv:t/c/b}\n" in new
    assert "https" not in old + new


@pytest.mark.parametrize(
    "content",
    [
        "kind: ConfigMap\ndata:\n  a: Secret\n",
        "kind: ExternalSecret\ndata:\n- secretKey: a\n",
        "spec:\n  secretName: Secret\n",
        "just a text about a Secret: yes, and no\n  - not YAML: [",
        "",
    ],
)
def test_other_documents_stay(content: str) -> None:
    expected = content if "[" not in content else None

    old, _ = masked_texts(content.encode(), b"")

    assert expected is None or old == expected


def test_a_name_with_escapes_and_bytes_that_are_no_text() -> None:
    old, _ = masked_texts(HEAD.encode() + b"stringData:\n  pw: c4nary\xff\n", b"")

    assert "c4nary" not in old


def test_the_diff_of_a_catalog_masks_them() -> None:
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
