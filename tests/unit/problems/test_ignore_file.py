"""The file of ignored problems in a working directory; golden cases show its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.problems.ignore_file import NAME, read_ignore_file

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_ignore_file_has_no_entries(tmp_path: Path) -> None:
    assert read_ignore_file(tmp_path).ignores == ()

    (tmp_path / NAME).write_bytes(b"\xff")
    assert read_ignore_file(tmp_path).problems[0].code == "problems/invalid-entry"
