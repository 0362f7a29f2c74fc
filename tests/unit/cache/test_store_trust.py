"""What others may have written is not read; where nothing can be written, runs go on."""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.digests import digest
from commodore_py.cache.store import Store

from .conftest import KEY, files_in

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelno >= logging.WARNING]


def refused(store: Store, caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    """Use a store in every way; returns the one warning that this gives."""
    caplog.clear()
    again = Store(store.folder)
    before = {file: file.lstat() for file in files_in(store)}

    assert again.blob(again.add_blob(b"x")) is None
    again.set_record(KEY, b"y")
    assert again.record(KEY) is None
    again.tidy(0)

    assert {file: file.lstat() for file in files_in(store)} == before
    (warning,) = warnings_in(caplog)
    return warning


@pytest.fixture
def filled(store: Store) -> Store:
    store.add_blob(b"x")
    store.set_record(KEY, b"y")
    return store


@as_root
@pytest.mark.parametrize("inside", [".", "v2", "v2/blobs", "v2/records"])
def test_a_folder_of_another_user_is_not_used(
    filled: Store, inside: str, caplog: pytest.LogCaptureFixture
) -> None:
    os.chown(filled.folder / inside, NOBODY, NOBODY)

    warning = refused(filled, caplog)

    assert "belongs to another user (65534" in warning.getMessage()
    assert warning.__dict__["where"] == str(filled.folder / inside)
    assert "XDG_CACHE_HOME" in warning.__dict__["hint"]


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777, 0o702])
@pytest.mark.parametrize("inside", [".", "v2/records"])
def test_a_folder_that_others_may_write_to_is_not_used(
    filled: Store, inside: str, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    (filled.folder / inside).chmod(mode)

    warning = refused(filled, caplog)

    assert "other users may write to it" in warning.getMessage()
    assert warning.__dict__["where"] == str(filled.folder / inside)
    assert "remove it" in warning.__dict__["hint"]


def test_a_file_in_its_place_is_left_alone(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.folder.parent.mkdir()
    store.folder.write_text("somebody's")

    store.add_blob(b"x")

    assert store.folder.read_text() == "somebody's"
    (warning,) = warnings_in(caplog)
    assert "it is not a folder" in warning.getMessage()


def test_a_warning_is_logged_once_by_all_parts_of_a_run(
    filled: Store, caplog: pytest.LogCaptureFixture
) -> None:
    filled.folder.chmod(0o777)

    for _ in range(3):
        Store(filled.folder).record(KEY)

    assert len(warnings_in(caplog)) == 1


@as_root
def test_a_file_of_another_user_is_not_read(filled: Store) -> None:
    for file in files_in(filled):
        os.chown(file, NOBODY, NOBODY)

    assert filled.blob(digest(b"x")) is None
    assert filled.record(KEY) is None
    assert files_in(filled) == []


def test_a_link_to_a_folder_of_ours_is_used(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir(mode=0o700)
    (tmp_path / "cache").symlink_to("large disk")
    store = Store(tmp_path / "cache")

    assert store.blob(store.add_blob(b"x")) == b"x"


_AS_A_STRANGER = """
import logging, sys
from pathlib import Path
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
from commodore_py.cache.store import Store
store = Store(Path(sys.argv[1]))
for number in range(3):
    digest = store.add_blob(b"%d" % number * 100_000)
    store.set_record(digest, b"x")
print([store.blob(digest) is None, store.record(digest) is None, store.blob(store.add_blob(b"x"))])
store.tidy(0)
"""


def run_apart(folder: Path, *, limit: int | None = None) -> tuple[str, list[str]]:
    """Use a store in a process of its own, which need not be root and may have limits."""

    def restrict() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        elif os.geteuid() == 0:
            # Root that may not override modes; its number stays, so that the folder is its own.
            _drop_capabilities()

    done = subprocess.run(
        [sys.executable, "-c", _AS_A_STRANGER, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=restrict,
    )
    return done.stdout.strip(), done.stderr.splitlines()


def _drop_capabilities() -> None:
    import ctypes  # for root only

    # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: dropped by the next exec.
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="root's powers are taken in Linux's way")
@pytest.mark.parametrize("there", [True, False])
def test_where_nothing_can_be_written_runs_go_on(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    if there:
        (folder / "results").mkdir(mode=0o500)
    folder.chmod(0o500)
    try:
        out, err = run_apart(folder / "results")
    finally:
        folder.chmod(0o700)

    assert out == "[True, True, None]"
    assert err == ["INFO results are not cached: permission denied"]


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_what_can_only_be_read_is_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    store.add_blob(b"x")
    store.add_blob(b"2" * 100_000)
    store.set_record(digest(b"2" * 100_000), b"x")
    folders = [store.folder, *(path for path in store.folder.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        out, err = run_apart(store.folder)
    finally:
        for folder in folders:
            folder.chmod(0o700)

    assert out == "[False, False, b'x']"
    assert err == ["INFO results are not cached: permission denied"]


def test_a_full_disk_is_reported_once_and_leaves_nothing_half(tmp_path: Path) -> None:
    # A limit for files, as a stand-in that needs no disk of its own.
    out, err = run_apart(tmp_path / "results", limit=50_000)

    assert out == "[True, True, None]"
    assert err == ["WARNING results are not cached: file too large"]
    assert [file.name for file in files_in(Store(tmp_path / "results"))] == ["swept"]
