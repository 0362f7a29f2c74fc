"""Secrets are masked, references to them are shown."""

from __future__ import annotations

from itertools import product
from typing import Any

from commodore_py.adapters.yaml.parts import compose
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.secret_parts import secret_parts
from commodore_py.manifests.secrets import MAY_BE_SECRET, masked
from tests.support.kube_objects import make_object
from tests.support.tables import each


def test_masked_changes_contain_no_secret() -> None:
    def holding(name: str, value: str) -> Any:  # noqa: ANN401 - any content
        data = dict.fromkeys("abc", "hunter2")
        return make_object("Secret", name, data={**data, "d": value}, stringData=data)

    old, new = [holding("x", "1"), holding("z", "1")], [holding("x", "2"), holding("y", "2")]

    changes = tuple(map(masked, object_changes(old, new)))

    assert [change.what for change in changes] == ["renamed", "changed"]
    assert "hunter2" not in repr(changes)


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
def test_quick_search_finds_all_secrets(style: str) -> None:
    found = 0
    for kind, body in product(KINDS, BODIES):
        text = style.format(kind=kind, body=body)
        root = compose(text, name="")
        if root is not None and next(secret_parts(root), None) is not None:
            found += 1
            assert MAY_BE_SECRET.search(text.encode()), text

    assert found or "{body}" not in style


def test_similar_words_are_not_secrets() -> None:
    assert not MAY_BE_SECRET.search(b"imagePullSecrets: []\ntext: Secret fields, SecretLists\n")
