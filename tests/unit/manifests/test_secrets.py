"""Secrets are masked, references to them are shown."""

from __future__ import annotations

import base64
from itertools import product
from typing import Any

from commodore_py.adapters.yaml import nodes
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.secret_parts import NODES, secret_parts
from commodore_py.manifests.secrets import MAY_BE_SECRET, masked
from tests.support.kube_objects import make_object
from tests.support.tables import each

REFERENCE = "?{vaultkv:t-a/c-b/shop/password}"
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@each("field", ["data", "stringData"])
@each(
    ("value", "shown"),
    [
        ("hunter2", "***"),
        (encoded("hunter2!"), "***"),
        (12345, "***"),
        ("", ""),
        (REFERENCE, REFERENCE),
        (encoded(REFERENCE), REFERENCE),
        (f"u:{REFERENCE}@h", f"***{REFERENCE}***"),
        ({"deep": ["hunter2"]}, {"deep": ["***"]}),
    ],
)
def test_values_of_a_secret(field: str, value: object, shown: object) -> None:
    contents: list[dict[str, Any]] = [{field: {}}, {field: {"a": value}}]
    old, new = (make_object("Secret", **content) for content in contents)

    for before, after, kept in ((old, new, "new"), (new, old, "old")):
        (change,) = map(masked, object_changes([before], [after]))
        assert getattr(change.fields[0], kept) == shown


def test_all_of_it_at_once() -> None:
    (change,) = map(
        masked,
        object_changes([make_object("Secret")], [make_object("Secret", data={"a": "hunter2"})]),
    )

    assert change.fields[0].new == {"a": "***"}


@each("annotations", [{LAST: "hunter2"}, {LAST: "hunter2", "other": "kept"}])
def test_what_kubectl_notes(annotations: dict[str, str]) -> None:
    new = make_object("Secret", metadata={"annotations": annotations})

    for old in (make_object("Secret"), make_object("Secret", metadata={"annotations": {}})):
        (change,) = map(masked, object_changes([old], [new]))
        assert "hunter2" not in repr(change)
        assert ("kept" in repr(change)) is ("other" in annotations)


def test_nothing_of_a_secret_is_left_in_what_is_shown() -> None:
    def holding(name: str, value: str) -> Any:  # noqa: ANN401 - any content
        data = dict.fromkeys("abc", "hunter2")
        return make_object("Secret", name, data={**data, "d": value}, stringData=data)

    old, new = [holding("x", "1"), holding("z", "1")], [holding("x", "2"), holding("y", "2")]

    changes = tuple(map(masked, object_changes(old, new)))

    assert [change.what for change in changes] == ["renamed", "changed"]
    assert "hunter2" not in repr(changes)


def test_other_objects_are_shown_as_they_are() -> None:
    (change,) = map(masked, object_changes([make_object()], [make_object(data={"a": "b"})]))

    assert change.fields[0].new == {"a": "b"}


KINDS = (
    *("Secret", "secret", "SecretList", "SecretListList", "SealedSecret"),
    *("ConfigMap", "Secret field", "Secrets", "SecretLists"),
)
STYLES = (
    "kind: {kind}\n{body}",
    "kind: {kind}",
    "kind:   {kind}  \n{body}",
    "kind: {kind} # a comment\n{body}",
    "kind: '{kind}'\n{body}",
    'kind: "{kind}"\n{body}',
    "kind: &a {kind}\nother: *a\n{body}",
    "kind: !!str {kind}\n{body}",
    "kind:\n  {kind}\n{body}",
    "kind: >-\n  {kind}\n{body}",
    "kind: |-\n  {kind}\n\n{body}",
    "? kind\n: {kind}\n{body}",
    "kind: {kind}\r\n{body}",
    "kind: {kind}\u2028{body}",
    "{{kind: {kind} , data: {{a: b}}}}",
    "{{data: {{a: b}}, kind: {kind}}}",
    '{{"kind":"{kind}","data":{{"a":"b"}}}}',
    "- {{data: {{a: b}}, kind: {kind} }}",
    "a: |\n  kind: {kind}\n  data: {{a: b}}\n",
    'a: "kind: {kind}\\ndata: {{a: b}}"',
    "a: 'kind: {kind}\n\n  data: {{a: b}}'",
    "a: >\n  kind: {kind}\n\n  data: {{a: b}}\n",
    """a: '{{"kind":"{kind}","data":{{"a":"b"}}}}'""",
    'a: "{{\\"kind\\":\\"{kind}\\",\\"data\\":{{\\"a\\":\\"b\\"}}}}"',
)
BODIES = (
    "data: {a: b}\n",
    "items: [{data: {a: b}}]\n",
    "items: [{items: [{data: {a: b}}]}]\n",
    "template: {data: {a: b}}\n",
    "spec: {template: {data: {a: b}}}\n",
)


@each("style", STYLES)
def test_the_quick_look_finds_every_secret(style: str) -> None:
    found = 0
    for kind, body in product(KINDS, BODIES):
        text = style.format(kind=kind, body=body)
        root = nodes.compose(text, name="")
        if root is not None and next(secret_parts(root, NODES), None) is not None:
            found += 1
            assert MAY_BE_SECRET.search(text.encode()), text

    assert found or "{body}" not in style


def test_words_and_prose_are_not_taken_for_secrets() -> None:
    assert not MAY_BE_SECRET.search(b"imagePullSecrets: []\ntext: Secret fields, SecretLists\n")
