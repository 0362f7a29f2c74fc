"""Whether Helm would have to fetch sub-charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.compiler.charts import lacks_charts
from tests.support.servers.charts import tar_archive

if TYPE_CHECKING:
    from pathlib import Path

HEAD, OLD_LIST = "Chart.yaml", "requirements.yaml"
WANTED = "dependencies: [{name: sub, version: 1.0.0, repository: https://example.com}]\n"
SUB = "name: sub\nversion: 0.9.0\n"


@pytest.mark.parametrize(
    ("files", "lacks"),
    [
        ({HEAD: "name: x\n"}, False),
        ({HEAD: WANTED}, True),
        ({HEAD: WANTED, "charts/renamed/Chart.yaml": SUB}, False),
        ({HEAD: WANTED, "charts/sub/Chart.yaml": "name: another\n"}, True),
        ({HEAD: "name: x\n", OLD_LIST: WANTED}, True),
        ({HEAD: "name: x\n", OLD_LIST: WANTED, "charts/sub/Chart.yaml": SUB}, False),
        ({"README.md": "no chart"}, True),
        ({}, True),
    ],
)
def test_sub_charts_count_by_their_names(
    tmp_path: Path, files: dict[str, str], *, lacks: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert lacks_charts(tmp_path) is lacks


def test_packed_sub_charts_count(tmp_path: Path) -> None:
    (tmp_path / HEAD).write_text(WANTED)
    (tmp_path / "charts").mkdir()
    archive = tar_archive({"sub/Chart.yaml": SUB.encode()})
    (tmp_path / "charts" / "sub-0.9.0.tgz").write_bytes(archive)

    assert not lacks_charts(tmp_path)
