"""A store on a disk that is full, or that turned read-only: a small one is mounted for that."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import write_if_changed
from commodore_py.cache.digests import digest
from commodore_py.cache.store import Store
from commodore_py.errors import of_system
from tests.support.damage import DamagedStore
from tests.support.stores import damaged_in

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.faults

PROGRAM = Path(sys.executable).with_name("commodore")


def mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with little room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = "size=512k,mode=0700"
    if (
        sys.platform != "linux"
        or os.geteuid()
        or not mount("-t", "tmpfs", "-o", options, "small", str(folder))
    ):
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def contents(count: int) -> list[bytes]:
    return [os.urandom(5000) for _ in range(count)]


def test_store_survives_full_disk(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(disk / "store")
    some = contents(300)

    digests = [store.add_blob(content) for content in some]
    for name in digests:
        store.set_record(name, b"y" * 100)

    found = [store.blob(name) for name in digests]
    kept = sum(content is not None for content in found)
    assert 20 < kept < len(some)
    assert all(one in (None, content) for one, content in zip(found, some, strict=True))
    (warning,) = caplog.records
    assert warning.getMessage() == "results are not cached: no space left on device"
    assert "cache prune" in warning.__dict__["hint"]
    assert damaged_in(store) == ()


def test_store_accepts_blobs_after_pruning_full_disk(disk: Path) -> None:
    for content in contents(300):
        Store(disk / "store").add_blob(content)

    Store(disk / "store").prune(0)

    digest = Store(disk / "store").add_blob(b"x")
    assert Store(disk / "store").blob(digest) == b"x"


@pytest.mark.parametrize("kib", [0, 8, 40])
def test_compile_succeeds_with_almost_full_disk(
    disk: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, kib: int
) -> None:
    damaged = DamagedStore.of_demo(tmp_path)
    store = disk / f"store {kib}"
    with suppress(OSError), (disk / "others").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))
    os.truncate(disk / "others", (disk / "others").stat().st_size - kib * 1024)

    made = replace(damaged, config=replace(damaged.config, result_cache=store)).compile()

    assert made == damaged.expected
    words = ("not kept", "not cached")
    (warning,) = [one for one in caplog.records if any(word in one.getMessage() for word in words)]
    assert warning.levelname == "WARNING"
    assert damaged_in(Store(store)) == ()


def test_store_survives_read_only_disk(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    store = Store(disk / "store")
    before = store.add_blob(b"before")
    assert mount("-o", "remount,ro", str(disk))

    after = store.add_blob(b"after")
    store.set_record(after, b"y")
    store.tidy(0)

    assert (store.blob(before), store.blob(after)) == (b"before", None)
    (record,) = caplog.records
    assert record.getMessage() == "results are not cached: read-only file system"


def test_damaged_blob_on_read_only_disk_is_not_read(disk: Path) -> None:
    name = Store(disk / "store").add_blob(b"x" * 5000)
    (file,) = (disk / "store").rglob(name[2:])
    file.write_bytes(file.read_bytes()[:-1])
    assert mount("-o", "remount,ro", str(disk))

    store = Store(disk / "store")

    assert store.blob(name) is None
    assert store.add_blob(b"x" * 5000) == name == digest(b"x" * 5000)
    assert store.blob(name) is None


def test_prune_of_read_only_cache_is_an_error(disk: Path) -> None:
    (disk / "commodore/git").mkdir(parents=True)
    assert mount("-o", "remount,ro", str(disk))

    ran = subprocess.run(
        [PROGRAM, "cache", "prune", "--all"],
        env={**os.environ, "XDG_CACHE_HOME": str(disk)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "error: the cache cannot be changed: read-only file system" in ran.stderr
    assert str(disk / "commodore") in ran.stderr


def test_write_to_read_only_disk_names_file(disk: Path) -> None:
    assert mount("-o", "remount,ro", str(disk))

    with pytest.raises(OSError, match="Read-only") as caught:
        write_if_changed(disk / "page.html", b"x")

    assert caught.value.filename == str(disk / "page.html")
    assert "read-only" in of_system(caught.value).hint
