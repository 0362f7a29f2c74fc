"""`catalog compile --all --report FILE.html`: the page of a run that needs nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from .conftest import Playground


def test_report_shows_every_cluster_in_one_file(
    playground: Playground, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    words = ("catalog", "compile", "--all", "--jobs", "1", "--report", str(file))

    code = run(("-d", str(tmp_path / "work"), *words, "--api-url", str(playground.facts)))

    page = file.read_text("utf-8")
    assert code == 0, capsys.readouterr().err
    assert re.findall(r'<section id="([^"]*)"', page) == ["c-demo-1", "c-demo-2"]
    assert "Component node-clock is deprecated" in page
    assert not re.search(r"<script|(src|href)=\"(?!#)", page)


def test_report_escapes_what_is_not_its_own(playground: Playground, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    broken = playground.facts / "clusters" / "c-x.yaml"
    broken.write_text("id: c-x\ntenant: '<script>alert(1)</script>'\n")
    words = ("catalog", "compile", "c-demo-1", "c-x", "--jobs", "1", "--report", str(file))
    try:
        code = run(("-d", str(tmp_path / "work"), *words, "--api-url", str(playground.facts)))
    finally:
        broken.unlink()

    assert code == 1
    assert "<script" not in file.read_text("utf-8")
