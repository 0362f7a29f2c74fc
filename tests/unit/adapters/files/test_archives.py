"""Contents of folders and archives are the same on the way back."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import resource
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.archives import (
    BadArchive,
    Member,
    opened_tar,
    pack,
    read_folder,
    unpack_chart,
    unpack_tar,
    unpack_zip,
)
from commodore_py.adapters.reading import NotReadable
from commodore_py.errors import CommodoreError
from tests.support.servers.charts import tar_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_packed_content_is_unpacked_unchanged(tmp_path: Path) -> None:
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


def test_read_folder_resolves_links(tmp_path: Path) -> None:
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
def test_links_out_of_folder_are_refused(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    (folder / "a/link" if target == "." else folder / "link").symlink_to(target)

    with pytest.raises(NotReadable, match="link"):
        read_folder(folder)


@pytest.mark.parametrize("unpack", [unpack_tar, unpack_zip, unpack_chart])
@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", tar_archive({"a": "x" * 9999})[:60]],
    ids=["empty", "a page", "cut off"],  # the last one holds the time
)
def test_damaged_archive_is_an_error(tmp_path: Path, unpack: object, content: bytes) -> None:
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


def tar_with(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for about, content in members:
            about.size = len(content) or about.size
            archive.addfile(about, io.BytesIO(content) if content else None)
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    about = tarfile.TarInfo(name)
    about.type, about.linkname = kind, link
    return about


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    about = member(name, kind)
    about.size = size
    return about.tobuf(tarfile.GNU_FORMAT)


def bz2_of_zeros(size: int) -> bytes:
    block = 900_000 * 50  # as one stream: others follow it
    return bz2.compress(bytes(block)) * (size // block + 1)


MANY_FILES = "many files of one name"
BOMBS = {
    "a pax header of 3 GiB": lambda: gzip.compress(
        header("x", 3 << 30, tarfile.XHDTYPE) + bytes(1 << 20)
    ),
    "a long name of 64 MiB": lambda: gzip.compress(
        header("x", 64 << 20, tarfile.GNUTYPE_LONGNAME) + b"x" * (64 << 20), 1
    ),
    "a skipped record of bzip2": lambda: (
        bz2.compress(header("x", 4 << 30, b"Z")) + bz2_of_zeros(1 << 30)
    ),
    "a file of zeros in bzip2": lambda: bz2.compress(header("x", 1 << 30)) + bz2_of_zeros(1 << 30),
    "a file of zeros in xz": lambda: (
        lzma.compress(header("x", 1 << 30)) + lzma.compress(bytes(64 << 20)) * 16
    ),
    "many pax headers": lambda: gzip.compress(header("x", 0, tarfile.XHDTYPE) * 50_000),
    "many long names": lambda: gzip.compress(
        (header("x", 3, tarfile.GNUTYPE_LONGNAME) + b"abc".ljust(512, b"\0")) * 50_000
    ),
    "a sparse file of 1 TiB": lambda: gzip.compress(
        header("x", 1 << 40, tarfile.GNUTYPE_SPARSE) + bytes(1024)
    ),
    "a size below zero": lambda: gzip.compress(header("x", -1) + bytes(1024)),
}


@pytest.mark.parametrize("unpack", [unpack_tar, unpack_chart])
@pytest.mark.parametrize("bomb", [*BOMBS, pytest.param(MANY_FILES, marks=pytest.mark.long)])
@pytest.mark.slow
@pytest.mark.sample(3)
def test_decompression_bomb_is_refused(
    tmp_path: Path, bomb: str, unpack: Callable[[Path], object]
) -> None:
    file = tmp_path / "bomb"
    file.write_bytes(BOMBS[bomb]() if bomb in BOMBS else gzip.compress(header("c/x", 0) * 210_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(BadArchive):
        unpack(file)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 2_000_000, f"{grown} KiB"


def test_zip_with_oversized_member_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(64 << 20))
    content = file.read_bytes()
    # It says 4 GiB in both places.
    file.write_bytes(content.replace((64 << 20).to_bytes(4, "little"), b"\xf0\xff\xff\xff"))

    with pytest.raises(BadArchive, match="larger than 1073741824 bytes"):
        unpack_zip(file)


@pytest.mark.parametrize(
    ("links", "kept"),
    [
        ({"d/up": "..", "out": "d/up/.."}, {"d/up": "..", "out": "d"}),
        ({"a/b/up": "../..", "out": "a/b/up/../x"}, {"a/b/up": "../..", "out": "a/b/x"}),
        ({"a": "b/x/../y", "b": "."}, {"a": "b/y", "b": "."}),
        ({"lib/libx.so": "libx.so.1", "lib/libx.so.1": "libx.so.1.2"}, None),
        ({"a/b/c": "../../d/e", "d": "a"}, None),
        ({"gone": "nowhere/at/all"}, None),
        ({"a": "a"}, None),
    ],
)
def test_links_go_up_only_where_folders_are(
    tmp_path: Path, links: dict[str, str], kept: dict[str, str] | None
) -> None:
    file = tmp_path / "file.tar"
    file.write_bytes(tar_with(*((member(n, tarfile.SYMTYPE, t), b"") for n, t in links.items())))

    assert {name: one.link for name, one in unpack_tar(file).items()} == (kept or links)


@pytest.mark.parametrize("target", ["/etc", "..", "../x", "a/../../x", "d/../.."])
def test_archive_link_out_of_folder_is_refused(tmp_path: Path, target: str) -> None:
    file = tmp_path / "file.tar"
    file.write_bytes(tar_with((member("out", tarfile.SYMTYPE, target), b"")))

    with pytest.raises(BadArchive, match="the link out leads out of its folder"):
        unpack_tar(file)


def test_archive_member_below_link_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file.tar"
    file.write_bytes(tar_with((member("a", tarfile.SYMTYPE, "b"), b""), (member("a/c"), b"x")))

    with pytest.raises(BadArchive, match="would be written through a,"):
        unpack_tar(file)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_large_files_come_out_whole(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    contents = {f"f{n}": bytes([n]) * size for n, size in enumerate((0, 1, 511, 513, 34 << 20, 7))}
    file = tmp_path / "file.tar"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in contents.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    file.write_bytes(compress(packed.getvalue()))

    assert {name: one.content for name, one in unpack_tar(file).items()} == contents


def test_hard_link_to_link_is_resolved_at_its_own_path(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        link = tarfile.TarInfo("a/b/c/l")
        link.type, link.linkname = tarfile.SYMTYPE, "../../../x"
        archive.addfile(link)
        again = tarfile.TarInfo("h")
        again.type, again.linkname = tarfile.LNKTYPE, "a/b/c/l"
        archive.addfile(again)
    file = tmp_path / "x.tar"
    file.write_bytes(packed.getvalue())

    with pytest.raises(BadArchive, match="leads out of its folder"):
        unpack_tar(file)


def test_hard_links_count_with_size_of_their_file(tmp_path: Path) -> None:
    file = tmp_path / "x.tar.gz"
    with tarfile.open(file, mode="w:gz") as archive:
        large = tarfile.TarInfo("a")
        large.size = 64 << 20
        archive.addfile(large, io.BytesIO(bytes(large.size)))
        for number in range(20):
            link = tarfile.TarInfo(f"link-{number}")
            link.type, link.linkname = tarfile.LNKTYPE, "a"
            archive.addfile(link)

    with pytest.raises(BadArchive, match="are larger than"):
        unpack_tar(file)


def test_system_error_is_not_a_damaged_archive(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    with tarfile.open(file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))

    with pytest.raises(CommodoreError, match="No space left") as caught, opened_tar(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "target")

    assert not isinstance(caught.value, BadArchive)
    assert caught.value.where == "target"
