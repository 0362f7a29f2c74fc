"""Files that filters read are parsed once in a run, and changes are not shared."""

from __future__ import annotations

import pytest

from commodore_py.adapters.jsonnet.evaluate import Inexpressible
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.postprocess.documents import Documents


def test_same_content_is_read_once_whatever_its_name() -> None:
    known = Documents()

    assert known.all(b"a: [1]\n", name="one") is known.all(b"a: [1]\n", name="two")
    assert known.single(b"a: [1]\n", name="one") is known.single(b"a: [1]\n", name="two")


def test_one_document_and_all_of_them_are_two_questions() -> None:
    known = Documents()

    assert known.all(b"a: 1\n---\n", name="x") == ({"a": 1.0}, None)
    with pytest.raises(YamlError, match="another document"):
        known.single(b"a: 1\n---\n", name="x")


@pytest.mark.parametrize("name", ["one", "two"])
def test_failure_names_the_requested_file(name: str) -> None:
    known = Documents()
    with pytest.raises(Inexpressible):
        known.all(b"a:\n  b: 2020-01-01\n", name="earlier")

    with pytest.raises(Inexpressible) as caught:
        known.all(b"a:\n  b: 2020-01-01\n", name=name)

    assert caught.value.where == f"{name}:2"


def test_what_was_read_long_ago_is_forgotten() -> None:
    known = Documents(most_bytes=20)
    first = known.all(b"first: 1\n", name="x")

    known.all(b"second: 2222222222222222\n", name="x")

    assert known.all(b"first: 1\n", name="x") is not first
    assert known.all(b"first: 1\n", name="x") == first
