"""The doors of lock files, by either reader, and of exports that are broken or want to escape."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.dependencies.lock.document import SCHEMA
from commodore_py.dependencies.lock.exports import opened
from commodore_py.dependencies.lock.format.reader import read_lock
from commodore_py.dependencies.lock.format.writer import write_lock
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, damaged, spoilt

LOCK = f"""\
# Lock of cluster c-one. Made by commodore; your comments are kept.
schema = "{SCHEMA}"
cluster = "c-one"

# why
[component."a"]
url = "https://example.com/a.git" # beside
version = "v1"
commit = "{"a" * 40}"
pinned = true

[cluster]
facts = {{ json = '{{"a": [1, "b"]}}' }}

[config."global"]
url = "ssh://git@example.com/g.git"
commit = "{"b" * 40}"
""".encode()
SEEDS = [
    LOCK,
    f'schema = "{SCHEMA}"\n[a.b]\nc = [1, 2.5, 2026-11-22, {{d = """e"""}}]\n'.encode(),
    b"",
]
MEMBER = b"content"
MANIFEST = {
    "schema": "lock-archive/v1",
    "members": {"git/a.bundle": hashlib.sha256(MEMBER).hexdigest()},
}


def feed_lock(content: bytes) -> None:
    lock = read_lock(content.decode(errors="surrogateescape"), "x.lock")
    again = read_lock(write_lock(lock), "x.lock")
    assert again.blocks.keys() == lock.blocks.keys()


def feed_export(case: tuple[object, list[tuple[str, bytes]], bytes | None]) -> None:
    manifest, members, whole = case
    with tempfile.TemporaryDirectory() as folder:
        place, beside = Path(folder, "it.tar"), Path(folder, "beside")
        beside.mkdir()
        place.write_bytes(_packed(manifest, members) if whole is None else whole)
        with opened(place) as there:
            assert [*there.iterdir()]
        assert [*beside.iterdir()] == []


def _packed(manifest: object, members: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, kind in [("manifest.json", tarfile.REGTYPE), *members]:
            about = tarfile.TarInfo(name)
            content = json.dumps(manifest).encode() if name == "manifest.json" else MEMBER
            about.type, about.linkname = kind, "../beside/x"
            about.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(about, io.BytesIO(content))
    return file.getvalue()


FINE = [("git/a.bundle", tarfile.REGTYPE)]
KINDS = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
TAR_NAMES = st.sampled_from(["git/a.bundle", "../beside/x", *(n for n in NAMES if "\0" not in n)])
MEMBERS = st.lists(st.tuples(TAR_NAMES, st.sampled_from(KINDS)), max_size=4)
EXPORTS = st.one_of(
    st.tuples(damaged(MANIFEST), st.just(FINE), st.none()),
    st.tuples(st.just(MANIFEST), MEMBERS, st.none()),
    st.tuples(st.just(MANIFEST), st.just(FINE), spoilt([_packed(MANIFEST, FINE)])),
)


def test_lock_files() -> None:
    survives(
        feed_lock,
        spoilt(SEEDS),
        *SEEDS,
        b"a." * 20_000,
        b"a = " + b"[" * 100_000,
        b"a = " + b"9" * 5_000,
        LOCK.replace(b"[1,", b"[" * 100_000),
        LOCK.replace(b"1,", b"9" * 5_000 + b","),
        LOCK.replace(b'"b"', b'"\\\\ud800"'),
    )


def test_exports() -> None:
    survives(feed_export, EXPORTS, (MANIFEST, FINE, None), (MANIFEST, FINE, b""))
