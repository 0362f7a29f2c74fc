"""Expected output of test cases that is outside of the component."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.testing.cases import find_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("link", ["tests/golden", "tests/golden/defaults", "tests"])
def test_golden_output_outside_of_component_is_refused(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    folder = written(tmp_path / "component-own", {"class/own.yml": "", "class/defaults.yml": ""})
    for name in ("golden/defaults", "defaults"):
        (outside / name).mkdir(parents=True)
    (outside / "defaults.yml").write_text("")
    if link != "tests":
        written(folder, {"tests/defaults.yml": ""})
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(outside)

    with pytest.raises(CommodoreError, match="the expected output of case defaults is outside of"):
        find_suite(folder)


def test_golden_link_to_other_folder_of_component_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path, {"tests/defaults.yml": "", "docs/x.md": "", "tests/golden/a/x": ""})
    (folder / "tests" / "golden" / "defaults").symlink_to(folder / "docs")

    with pytest.raises(CommodoreError, match=r"case defaults is outside of .*golden"):
        find_suite(folder)
