"""Lock files of others that make no catalog: an error each, and never a crash."""

from __future__ import annotations

import io
import json
import os
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.lock.exports import opened
from commodore_py.dependencies.lock.facts import cluster_in
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.errors import CommodoreError
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = 'schema = "lock/v1"\n\n[cluster]\nid = "c-1"\ntenant = "t-1"\n\n[facts]\ncloud = "x"\n'


def read(tmp_path: Path, text: str) -> object:
    """The cluster of a lock file."""
    file = tmp_path / "lock"
    file.write_text(text)
    return cluster_in(LockFile.read(file).lock, "c-1")


@each(
    ("old", "new"),
    [
        ('"t-1"', '"global"'),
        ('"t-1"', '"../x"'),
        ('"t-1"', '""'),
        ('"x"', "9" * 5000),
        ('"x"', "1979-05-27"),
        ('"x"', "{ json = '" + "[" * 100_000 + "' }"),
        ("[cluster]", "[[cluster]]"),
        ("[facts]", "[[facts]]"),
    ],
)
def test_malformed_lock_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    assert read(tmp_path, GOOD)

    with pytest.raises(CommodoreError):
        read(tmp_path, GOOD.replace(old, new))


@pytest.mark.parametrize("name", ["manifest.json", "git/a.bundle"])
@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_export_with_special_files_is_an_error(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "git").mkdir()
    for one in ("manifest.json", "git/a.bundle"):
        (tmp_path / one).write_text(
            '{"schema": "lock-archive/v1", "members": {"git/a.bundle": ""}}'
        )
    (tmp_path / name).unlink()
    if kind == "fifo":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero" if kind == "device" else "/etc")

    with pytest.raises(CommodoreError, match="export"), opened(tmp_path):
        pass


@pytest.mark.parametrize("kind", ["fifo", "device", "link to a device"])
@pytest.mark.parametrize("door", ["lock", "export"])
def test_lock_that_is_no_regular_file_is_not_opened(tmp_path: Path, kind: str, door: str) -> None:
    doors: dict[str, Callable[[Path], object]] = {
        "lock": LockFile.read,
        "export": lambda place: opened(place).__enter__(),
    }
    place = tmp_path / "x.lock"
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "device":
        place = Path("/dev/zero")
    else:
        place.symlink_to("/dev/zero")

    with pytest.raises(CommodoreError, match=r"device|FIFO"):
        doors[door](place)


def test_export_error_names_archive(tmp_path: Path) -> None:
    place = tmp_path / "it.tar"
    content = json.dumps({"schema": "lock-archive/v1", "members": {}}).encode()
    about = tarfile.TarInfo("manifest.json")
    about.size = len(content)
    with tarfile.open(place, "w") as archive:
        archive.addfile(about, io.BytesIO(content))

    with pytest.raises(CommodoreError) as caught, opened(place) as folder:
        raise CommodoreError(f"{folder}/git is odd", where=str(folder))

    assert str(caught.value) == f"{place}/git is odd"
    assert caught.value.where == str(place)
