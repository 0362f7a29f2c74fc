"""Values that no file can hold end with an error that names the file."""

from __future__ import annotations

import pytest

from commodore_py.adapters.yaml.emitter import Style
from commodore_py.compiler.formats import BadValue, Format
from commodore_py.compiler.tags import Tags


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("kind", ["auto", "yaml", "json", "toml"])
@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("levels", [990])
def test_a_value_that_is_nested_too_deeply_is_an_error(kind: str, prune: bool, levels: int) -> None:
    how = Format(kind, prune, Style(), Tags())

    with pytest.raises(BadValue, match="nested too deeply") as caught:
        how.file("name", deep(levels))

    assert caught.value.where.startswith("name")


def test_half_a_character_is_an_error() -> None:
    with pytest.raises(BadValue, match="not valid Unicode") as caught:
        Format("plain", prune=False, style=Style(), tags=Tags()).file("name", "\ud800")

    assert caught.value.where == "name"
