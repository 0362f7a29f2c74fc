"""Files are taken apart and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters import yaml
from commodore_py.manifests.documents import MOST_LEVELS, read, split_documents
from tests.support.kube_objects import VALUES

OBJECT = b"kind: A\napiVersion: v1\nmetadata: {name: n}\n"


@given(st.lists(VALUES, max_size=4))
def test_parts_hold_what_the_whole_holds(documents: list[object]) -> None:
    text = yaml.dump_documents(documents)

    parts = split_documents(text)

    assert b"".join(parts) == text
    found = [one for part in parts for one in yaml.load_all(part, name="")]
    assert found == yaml.load_all(text, name="")


@pytest.mark.parametrize(
    "text",
    [
        b"a: |\n  ---\n  b\n---\nc: 1\n",
        b"--- {a: 1}\n--- |\n text\n---\n...\n",
        b"%TAG ! tag:x,2000:\n---\na: 1\n---\nb: 2\n",
        b"---\r\na: 1\r\n---\r\nb: 2\r\n",
        b"--- # one\na: 1\n---text: 2\n",
        b"\xef\xbb\xbfa: 1\n---\nb: 1\n",
        b"",
        b"---\n---\n",
    ],
)
def test_parts_of_odd_texts_hold_what_the_whole_holds(text: bytes) -> None:
    found = [one for part in split_documents(text) for one in yaml.load_all(part, name="")]

    assert [one for one in found if one is not None] == [
        one for one in yaml.load_all(text, name="") if one is not None
    ]


@pytest.mark.parametrize("text", [b"a: [\n", b"a: !unknown 1\n", b"a: 2020-13-45\n", b"\xff"])
def test_what_is_not_valid_cannot_be_read(text: bytes) -> None:
    assert read(text, "f.yaml") is None


def test_a_value_that_holds_itself_cannot_be_read() -> None:
    assert read(b"a: &a [*a]\n", "f.yaml") is None


def test_lists_are_what_they_list_and_other_documents_are_distinguished() -> None:
    text = (
        b"kind: List\nitems:\n- kind: A\n  apiVersion: g/v1\n  metadata: {name: n}\n- other\n---\n"
    )

    content = read(text + OBJECT, "f.yaml")

    assert content is not None
    assert [str(one.id) for one in content.objects] == ["A n", "A n"]
    assert [one.id.group for one in content.objects] == ["g", ""]
    assert content.others == ("other",)


@pytest.mark.parametrize(
    "text",
    [
        b"kind: A\nmetadata: {name: n}\n",
        b"kind: A\napiVersion: v1\n",
        b"kind: A\napiVersion: v1\nmetadata: {labels: {}}\n",
        b"kind: A\napiVersion: v1\nmetadata: {name: [1]}\n",
        b"kind: 1\napiVersion: v1\nmetadata: {name: n}\n",
        b"text\n",
        b"[1]\n",
    ],
)
def test_what_is_not_an_object(text: bytes) -> None:
    content = read(text, "f.yaml")

    assert content is not None
    assert content.objects == ()
    assert len(content.others) == 1


def test_generated_names_and_json_are_fine() -> None:
    text = b'{"kind": "Job",\t"apiVersion": "batch/v1", "metadata": {"generateName": "x-"}}'

    content = read(text, "f.json")

    assert content is not None
    assert [one.id.name for one in content.objects] == ["x-*"]
    assert read(b"{", "f.json") is None


def nested(levels: int) -> dict[str, bytes]:
    pad = "\n".join(f"{' ' * level}a:" for level in range(1, levels))
    both = "\n".join(f"{'  ' * level}{'- ' * (level > 0)}a:" for level in range(levels // 2))
    return {
        "lists.yaml": OBJECT + b"a: " + b"[" * levels + b"]" * levels,
        "mappings.json": b'{"a":' * levels + b"1" + b"}" * levels,
        "block.yaml": OBJECT + b"a:\n" + pad.encode(),
        "lists of mappings.yaml": both.encode(),
        "dashes.yaml": OBJECT + b"a:\n" + b"- " * levels + b"x",
    }


@pytest.mark.parametrize("name", nested(1))
def test_files_that_are_nested_deeply_are_not_compared_by_fields(name: str) -> None:
    assert read(nested(MOST_LEVELS - 5)[name], name) is not None
    assert read(nested(MOST_LEVELS * 2)[name], name) is None
    assert read(nested(MOST_LEVELS * 8)[name], name) is None
