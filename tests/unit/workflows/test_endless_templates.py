"""Templates of cookiecutter that never end, or fill the memory: an error, wherever they stand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.templates import cookiecutter

if TYPE_CHECKING:
    from pathlib import Path

TOP = "{{ cookiecutter.slug }}"
ENDLESS = (
    "{% for i in range(10**12) %}{% endfor %}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{{ 'x' * 10**10 }}",
    "{{ 'x' | center(10**10) }}",
    "{{ range(10**9) | list }}",
    "{{ '%0999999999d' % 1 }}",
    "{{ '{:>9999999999}'.format(1) }}",
    "{{ ('x' * 10**6) | replace('x', 'y' * 10**5) }}",
    "{{ random_ascii_string(10**9) }}",
)


def template(folder: Path, *, text: str = "", name: str = "a.txt", default: str = "a") -> Path:
    (folder / TOP).mkdir()
    (folder / "cookiecutter.json").write_text(json.dumps({"slug": "a", "other": default}))
    (folder / TOP / name).write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.sample(3)
def test_in_a_file(tmp_path: Path, text: str) -> None:
    folder = template(tmp_path, text=text)

    with pytest.raises(CommodoreError, match="cannot render the template"):
        cookiecutter.render(folder, {"slug": "a"})


@pytest.mark.slow
@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.sample(3)
def test_in_a_default(tmp_path: Path, text: str) -> None:
    folder = template(tmp_path, default=text)

    with pytest.raises(CommodoreError, match="cannot render the template"):
        cookiecutter.filled(folder, {})


@pytest.mark.slow
@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.sample(3)
def test_in_a_hook(tmp_path: Path, text: str) -> None:
    folder = template(tmp_path)
    (folder / "hooks").mkdir()
    (folder / "hooks/post_gen_project.sh").write_text(text)

    with pytest.raises(CommodoreError, match="cannot render the template"):
        cookiecutter.script_of(cookiecutter.hooks_of(folder)[0], {"slug": "a"})


@pytest.mark.parametrize("name", ["{{ 'x' * 10**10 }}", "{{ range(10**9) | list }}"])
def test_in_a_name(tmp_path: Path, name: str) -> None:
    folder = template(tmp_path, name=name)

    with pytest.raises(CommodoreError, match="cannot render the template"):
        cookiecutter.render(folder, {"slug": "a"})
