"""Files as filters read them."""

from __future__ import annotations

import pytest

from commodore_py.adapters.jsonnet.evaluate import Inexpressible
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.postprocess.documents import read_all, read_single


def test_single_document_of_a_stream_is_an_error() -> None:
    assert read_all(b"a: 1\n---\n", name="x") == ({"a": 1.0}, None)
    with pytest.raises(YamlError, match="another document"):
        read_single(b"a: 1\n---\n", name="x")


def test_inexpressible_value_names_file_and_line() -> None:
    with pytest.raises(Inexpressible) as caught:
        read_all(b"a:\n  b: 2020-01-01\n", name="one")

    assert caught.value.where == "one:2"
