"""Lists of Jsonnet libraries in Jsonnet: what the code may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py import run_log
from commodore_py.adapters.files.reach import OutsideRead
from commodore_py.dependencies.jsonnet.install import render_jsonnetfiles
from commodore_py.errors import CommodoreError
from tests.support.builders import make_dependency

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def component(tmp_path: Path) -> Path:
    """The checkout of a component with a file beside it."""
    folder = tmp_path / "component"
    folder.mkdir()
    (folder / "own").write_text("own")
    (tmp_path / "foreign").write_text("foreign")
    return folder


def render(component: Path, source: str) -> str:
    (component / "jsonnetfile.jsonnet").write_text(source)
    render_jsonnetfiles([make_dependency("web", component)], {})
    return (component / "jsonnetfile.json").read_text()


def test_files_of_checkout_are_imported(component: Path) -> None:
    with run_log.collecting() as events:
        assert render(component, "importstr 'own'") == '"own"\n\n'

    assert not events.of(OutsideRead)


def test_files_outside_of_checkout_are_reported(component: Path) -> None:
    with run_log.collecting() as events:
        render(component, "importstr '../foreign'")

    assert [read.real for read in events.of(OutsideRead)] == [str(component.parent / "foreign")]


def test_private_files_are_refused(component: Path) -> None:
    with pytest.raises(CommodoreError, match="nothing in /proc is read"):
        render(component, "importstr '/proc/self/environ'")
