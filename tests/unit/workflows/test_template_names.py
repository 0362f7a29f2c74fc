"""File names that a template for new repositories makes of its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.templates.cookiecutter import render

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\0b", "holds a null character"),
        ("a\nb", "holds a control character"),
        ("a\x1b[2Jb", "holds a control character"),
        ("n" * 300, "is longer than 255 bytes"),
        ("/".join(["d" * 200] * 25), "is longer than 3840 bytes"),
    ],
)
def test_a_file_name_that_no_file_system_takes(tmp_path: Path, name: str, why: str) -> None:
    top = tmp_path / "{{cookiecutter.slug}}"
    top.mkdir()
    (top / "{{cookiecutter.name}}.md").write_text("")

    with pytest.raises(CommodoreError, match=why) as caught:
        render(tmp_path, {"slug": "x", "name": name})

    assert "the template would write" in str(caught.value)
    assert str(caught.value).isprintable()
    assert caught.value.where == "{{cookiecutter.name}}.md"
