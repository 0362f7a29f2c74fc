"""Packed charts, titles and sub-charts; golden cases of functions show the rest."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

from commodore_py.adapters.files import read_tree
from commodore_py.compiler.charts import Chart, calls_in
from tests.support.servers.charts import tar_archive

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "Chart.yaml"
WANTED = "dependencies: [{name: sub, version: 1.0.0, repository: https://example.com}]\n"
SUB = "name: sub\nversion: 0.9.0\n"


def test_unclosed_template_action_is_read_quickly() -> None:
    schema = '"a": {"description": "written as {{ name"},\n' + '"b": {"type": "string"},\n' * 2000

    assert list(calls_in(schema)) == []
    assert list(calls_in(schema + '"{{ now }}"')) == [("now", 2002)]


def test_charts_and_sub_charts_may_be_packed(tmp_path: Path) -> None:
    _pack(
        tmp_path / "c/charts/sub-1.0.0.tgz",
        {"sub/Chart.yaml": "name: sub", "sub/templates/t.yaml": "{{ now }}"},
    )
    (tmp_path / "c/Chart.yaml").write_text("name: c\n")
    (tmp_path / "c/charts/broken.tgz").write_bytes(b"broken")
    _pack(tmp_path / "d.tgz", {"d/Chart.yaml": "name: d", "d/templates/x/t.yaml": "\n{{ ago .x }}"})

    assert Chart.of(read_tree(tmp_path / "c")).unsteady([]) == {"now"}
    assert [*Chart.of((tmp_path / "d.tgz").read_bytes()).clock_calls()] == [
        ("ago", "templates/x/t.yaml:2")
    ]


def test_charts_are_called_as_they_call_themselves(tmp_path: Path) -> None:
    _pack(tmp_path / "d.tgz", {"d/Chart.yaml": "name: d", "d/values.yaml": ""})
    (tmp_path / "c/1.2.0").mkdir(parents=True)

    before = Chart.of(read_tree(tmp_path / "c/1.2.0")).title
    (tmp_path / "c/1.2.0/Chart.yaml").write_text("name: c\nversion: 1.2.0\n")

    assert (before, Chart.of(read_tree(tmp_path / "c/1.2.0")).title) == ("", "c 1.2.0")
    assert Chart.of((tmp_path / "d.tgz").read_bytes()).title == "d"


def _pack(archive: Path, files: dict[str, str]) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))


def test_packed_sub_chart_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / HEAD).write_text(WANTED)
    (tmp_path / "charts").mkdir()
    archive = tar_archive({"sub/Chart.yaml": SUB.encode()})
    (tmp_path / "charts" / "sub-0.9.0.tgz").write_bytes(archive)

    assert not Chart.of(read_tree(tmp_path)).lacks_charts
