"""Backends of references; golden cases of functions show the files of references."""

from __future__ import annotations

from commodore_py.adapters import yaml
from commodore_py.model.secrets import SecretRef
from commodore_py.refs.backends import REF_BACKENDS
from tests.support.tables import each


@each("name", sorted(REF_BACKENDS))
def test_all_backends_render_their_type(name: str) -> None:
    content = REF_BACKENDS[name].render(SecretRef(name, "a/b", ()), {})

    assert yaml.load(content, name="")["type"] == name
