"""Contents of folders and archives are the same on the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.archives import (
    BadArchive,
    Member,
    pack,
    read_folder,
    unpack_chart,
    unpack_tar,
    unpack_zip,
)
from tests.support.servers.charts import tar_archive

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_packed_is_unpacked(tmp_path: Path) -> None:
    content = {
        "a/b": Member(b"1"),
        "a/run.sh": Member(b"2", executable=True),
        "empty": Member(folder=True),
        "ü" * 90: Member(b"3"),
        "link": Member(link="a/b"),
    }
    file = tmp_path / "file.tar"

    pack(content, file)
    first = file.read_bytes()
    pack(dict(reversed(content.items())), file)

    assert unpack_tar(file) == content
    assert file.read_bytes() == first


def test_a_folder_is_read_with_what_its_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").write_text("x")
    (tmp_path / "link").symlink_to("a/file")
    (tmp_path / "empty").mkdir()

    assert read_folder(tmp_path) == {
        "a/file": Member(b"x"),
        "link": Member(b"x"),
        "empty": Member(folder=True),
    }


@pytest.mark.parametrize("target", ["nowhere", "../outside", "/etc", ".", "a/.."])
def test_links_that_lead_elsewhere_are_refused(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    (folder / "a/link" if target == "." else folder / "link").symlink_to(target)

    with pytest.raises(BadArchive, match="link"):
        read_folder(folder)


@pytest.mark.parametrize("unpack", [unpack_tar, unpack_zip, unpack_chart])
@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", tar_archive({"a": "x" * 9999})[:60]],
    ids=["empty", "a page", "cut off"],  # the last one holds the time
)
def test_what_is_broken_is_reported(tmp_path: Path, unpack: object, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)

    assert callable(unpack)
    with pytest.raises(BadArchive):
        unpack(file)


@pytest.mark.parametrize("name", ["/own/a", "own", "own/../../a", "own//a", "own/C:\\a"])
def test_charts_keep_to_their_folder(tmp_path: Path, name: str) -> None:
    file = tmp_path / "own.tgz"
    file.write_bytes(tar_archive({"own/Chart.yaml": "name: own\n", name: "x"}))

    with pytest.raises(BadArchive):
        unpack_chart(file)
