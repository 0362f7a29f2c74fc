"""Diffs of text show which values of a secret changed, and none of the values."""

from __future__ import annotations

from difflib import unified_diff

from commodore_py.catalog.diff.text import diff_text
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.documents import read
from commodore_py.manifests.secret_texts import masked_texts
from commodore_py.manifests.secrets import hidden, masked
from commodore_py.model.catalog import Change, FileChange
from tests.support.tables import each

HEAD = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
OLD, NEW = "c4nary-old", "c4nary-new"
LAST = "kubectl.kubernetes.io/last-applied-configuration"
COPY = '{{"kind": "Secret", "data": {{"pw": "{}"}}}}'
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
    HEAD + "base: &b\n  pw: {}\nstringData:\n  <<: *b\n",
    HEAD + "bases:\n- &a {{x: y}}\n- &b {{pw: {}}}\nstringData:\n  <<: [*a, *b]\n",
    "base: &b\n  kind: Secret\n<<: *b\nstringData:\n  pw: {}\n",
    "base: &b\n  kind: Secret\n  stringData: {{pw: {}}}\n<<: *b\n",
    "base: &a\n  <<: &b\n    kind: Secret\n<<: *a\nstringData:\n  pw: {}\n",
    "word: &s Secret\nkind: *s\nstringData:\n  pw: {}\n",
    'kind: "Sec\\\n  ret"\nstringData:\n  pw: {}\n',
    "kind: !!binary U2VjcmV0\nstringData:\n  pw: {}\n",
    "kind: !!str Secret\nstringData:\n  pw: {}\n",
    "kind: ConfigMap\nkind: Secret\nstringData:\n  pw: {}\n",
    "kind: SecretList\nitems:\n- metadata: {{name: a}}\n  stringData:\n    pw: {}\n",
    "kind: List\nitems:\n- kind: SecretList\n  items:\n  - data:\n      pw: {}\n",
    "l: &l\n- kind: Secret\n  data: {{pw: {}}}\nkind: List\nitems: *l\n",
    "- kind: Secret\n  data:\n    pw: {}\n",
    "kind: Template\nobjects:\n- kind: Secret\n  stringData:\n    pw: {}\n",
    "kind: Object\nspec:\n  manifests:\n  - kind: Secret\n    data:\n      pw: {}\n",
    "kind: SealedSecret\nspec:\n  template:\n    data:\n      pw: {}\n",
    "kind: ExternalSecret\nspec:\n  target:\n    template:\n      data:\n        pw: {}\n",
    "kind: SealedSecretList\nitems:\n- spec:\n    template:\n      data:\n        pw: {}\n",
    "kind: ConfigMap\ndata:\n  it: |\n    kind: Secret\n    stringData:\n      pw: {}\n",
    'kind: X\ndata:\n  it: \'{{"kind": "Secret", "data": {{"pw": "{}"}}}}\'\n',
    f"kind: X\nmetadata:\n  annotations:\n    {LAST}: |\n      {COPY}\n",
    "kind: X\nit: |\n  it: |\n    it: |\n      it: |\n        kind: Secret\n        data: [{}]\n",
    HEAD + "stringdata:\n  pw: {}\n",
    HEAD + "spec:\n  values:\n  - pw: {}\n",
    HEAD + "password: {}\n",
    HEAD.replace("Secret", "secret") + "data:\n  pw: {}\n",
    HEAD.replace("Secret", "SECRET") + "Data:\n  pw: {}\n",
    "kind: secretList\nitems:\n- StringData:\n    pw: {}\n",
    HEAD + "stringData:\n  pw: x # {}\n  other: {}\n",
]


@each("manifest", MANIFESTS)
def test_a_changed_value_is_shown_as_changed(manifest: str) -> None:
    old, new = masked_texts(manifest.format(OLD, OLD).encode(), manifest.format(NEW, NEW).encode())

    assert "c4nary" not in old + new
    assert old != new
    changed = list(unified_diff(old.split("\n"), new.split("\n"), n=0))[2:]
    assert {line[0] for line in changed} == {"@", "-", "+"}
    assert len(changed) <= 5


@each("manifest", MANIFESTS)
def test_as_an_object_it_is_compared_but_not_shown(manifest: str) -> None:
    old, new = (
        read(manifest.format(value, value).encode(), "a.yaml", hide=hidden) for value in (OLD, NEW)
    )

    assert "c4nary" not in repr((old, new))
    if old is not None and new is not None and "#" not in manifest:
        assert old != new
        assert "c4nary" not in repr([*map(masked, object_changes(old.objects, new.objects))])


def test_what_an_anchor_copies_to_elsewhere() -> None:
    text = HEAD + f"  annotations: {{x: &pw {OLD}}}\nstringData:\n  pw: *pw\n"

    found = read(text.encode(), "a.yaml", hide=hidden)

    assert found is not None
    assert OLD not in repr(found)
    assert OLD not in masked_texts(text.encode(), b"")[0]


def test_mappings_that_merge_each_other_end() -> None:
    chain = "".join(f"a{at}: &a{at}\n  <<: *a{at - 1}\n" for at in range(1, 100))
    text = f"kind: Secret\na0: &a0 {{x: {OLD}}}\n{chain}stringData:\n  <<: *a99\n"

    assert OLD not in masked_texts(text.encode(), b"")[0]


@each("manifest", MANIFESTS)
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


@each(
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
