"""The door of archives: tar, zip and charts that want to escape or to burst, or are broken."""

from __future__ import annotations

import io
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Literal

from hypothesis import strategies as st

from commodore_py.adapters.files.archives import pack, unpack_chart, unpack_tar, unpack_zip
from commodore_py.errors import CommodoreError
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, spoilt

TYPES = (
    *(tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE),
    *(tarfile.CHRTYPE, tarfile.BLKTYPE, b"9"),
)
PATHS = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(["a", "a/b", "a/b/c", "one/Chart.yaml", "one/templates/x.yaml", "./a", "a/."]),
)
MEMBERS = st.lists(
    st.tuples(PATHS, st.sampled_from(TYPES), PATHS, st.binary(max_size=20)), max_size=6
)
FORMATS = st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])


def tar_of(
    members: list[tuple[str, bytes, str, bytes]],
    form: int,
    mode: Literal["w", "w:gz", "w:bz2", "w:xz"],
) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode, format=form) as archive:
        for name, kind, link, content in members:
            about = tarfile.TarInfo(name)
            about.type, about.linkname, about.mode = kind, link, 0o755
            about.size = len(content) if kind == tarfile.REGTYPE else 0
            try:
                archive.addfile(about, io.BytesIO(content))
            except (ValueError, UnicodeError):  # a name that this format cannot hold
                continue
    return file.getvalue()


def zip_of(members: list[tuple[str, bytes, str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, _, _, content in members:
            if name and not name.endswith("\0"):
                archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def bomb(kind: bytes) -> bytes:
    """Small on disk, large in memory: a header, a name or a file that never ends."""
    member = tarfile.TarInfo("one/big")
    member.type, member.size = kind, 3 << 30
    packed = zlib.compressobj(1, wbits=31)
    zeros = bytes(1 << 20)
    pieces = [packed.compress(member.tobuf(tarfile.GNU_FORMAT))]
    pieces += [packed.compress(zeros) for _ in range(1200 if kind == tarfile.XHDTYPE else 50)]
    return b"".join([*pieces, packed.flush()])


VALID = [("one/Chart.yaml", tarfile.REGTYPE, "", b"name: one\n"), ("a", tarfile.DIRTYPE, "", b"")]
SEEDS = [
    tar_of(VALID, tarfile.PAX_FORMAT, "w"),
    tar_of(VALID, tarfile.PAX_FORMAT, "w:gz"),
    tar_of(VALID, tarfile.GNU_FORMAT, "w:bz2"),
    tar_of(VALID, tarfile.PAX_FORMAT, "w:xz"),
    tar_of([("ä" * 120, tarfile.REGTYPE, "", b"x")], tarfile.PAX_FORMAT, "w"),
    zip_of(VALID),
]
CASES = st.one_of(
    spoilt(SEEDS),
    st.builds(tar_of, MEMBERS, FORMATS, st.sampled_from(["w", "w:gz"])),
    st.builds(zip_of, MEMBERS),
)


def feed(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "archive")
        file.write_bytes(content)
        errors: list[CommodoreError] = []
        for unpack in (unpack_tar, unpack_zip, unpack_chart):
            try:
                found = unpack(file)
            except CommodoreError as error:
                errors.append(error)
                continue
            for path in map(PurePosixPath, found):
                assert not path.is_absolute()
                assert ".." not in path.parts
                assert "\0" not in str(path)
            pack(found, Path(name, "packed"))
        if len(errors) == 3:
            raise errors[0]


def test_archives() -> None:
    tar = SEEDS[0]
    survives(
        feed,
        CASES,
        *SEEDS,
        bomb(tarfile.XHDTYPE),
        bomb(tarfile.REGTYPE),
        tar[:156] + b"x" + tar[157:],  # an extended header of what is not an extension
        tar[:124] + b"77777777777\0" + tar[136:],
        tar[:124] + b"\x80" + b"\xff" * 11 + tar[136:],
        tar[:124] + b"\xff" * 12 + tar[136:],
    )
