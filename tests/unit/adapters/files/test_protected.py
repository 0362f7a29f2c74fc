"""Folders that must not change: what is stopped, and what is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.protected import WouldWrite, protected
from tests.support.builders import digest_of, git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPTS: dict[str, Callable[[Path], object]] = {
    "write": lambda folder: (folder / "file").write_text("new"),
    "append": lambda folder: (folder / "file").open("a"),
    "create": lambda folder: (folder / "new").touch(),
    "open for writing": lambda folder: os.open(folder / "file", os.O_RDWR),
    "a relative path": lambda folder: open(os.path.relpath(folder / "file"), "w"),  # noqa: SIM115, PTH123
    "bytes": lambda folder: open(os.fsencode(folder / "file"), "w"),  # noqa: SIM115, PTH123
    "through a parent": lambda folder: (folder.parent / "x" / ".." / folder.name / "n").touch(),
    "mkdir": lambda folder: (folder / "new").mkdir(),
    "remove": lambda folder: (folder / "file").unlink(),
    "rename": lambda folder: (folder / "file").rename(folder / "other"),
    "move away": lambda folder: (folder / "file").rename(folder.parent / "other"),
    "move into": lambda folder: (folder.parent / "outside").rename(folder / "other"),
    "link": lambda folder: (folder / "new").symlink_to("file"),
    "hard link": lambda folder: os.link(folder.parent / "outside", folder / "new"),
    "chmod": lambda folder: (folder / "file").chmod(0o600),
    "times": lambda folder: os.utime(folder / "file"),
    "truncate": lambda folder: os.truncate(folder / "file", 0),
    "rmdir": lambda folder: (folder / "empty").rmdir(),
    "rmtree": lambda folder: shutil.rmtree(folder / "empty"),
    "copy": lambda folder: shutil.copy(folder.parent / "outside", folder / "new"),
    "a program": lambda folder: subprocess.run(["touch", str(folder / "new")], check=False),
    "git add": lambda folder: git(folder, "add", "--all"),
    "git reset": lambda folder: git(folder, "reset", "--quiet"),
    "git status, which refreshes the index": lambda folder: git(folder, "status"),
    "a setting": lambda folder: git(folder, "config", "some.key", "value"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_repository(tmp_path / "bare.git", {"file": "content"})
    folder = tmp_path / "folder"
    git(tmp_path, "clone", "--quiet", str(tmp_path / "bare.git"), str(folder))
    (folder / "empty").mkdir()
    (tmp_path / "outside").touch()
    return folder


@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_changes_something_is_stopped_before(folder: Path, name: str) -> None:
    before = digest_of(folder)

    with pytest.raises(WouldWrite), protected(folder):
        ATTEMPTS[name](folder)

    assert digest_of(folder) == before


def test_links_to_the_folder_do_not_matter(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)

    for one, other in ((link, folder), (link, link)):
        with pytest.raises(WouldWrite), protected(one):
            (other / "new").touch()


def test_no_handler_of_errors_catches_it(folder: Path) -> None:
    with pytest.raises(WouldWrite), protected(folder), suppress(Exception):
        (folder / "new").touch()


def test_what_changes_nothing_is_not_stopped(folder: Path) -> None:
    before = digest_of(folder)

    with protected(folder):
        assert (folder / "file").read_text() == "content"
        (folder / "empty").mkdir(exist_ok=True)
        (folder / "missing").unlink(missing_ok=True)
        assert git(folder, "rev-parse", "HEAD")
        assert git(folder, "config", "--get-regexp", "^remote")
        git(folder, "-c", "core.quotePath=false", "ls-files")
        (folder.parent / "folder-beside").mkdir()
        with tempfile.TemporaryDirectory() as scratch:
            Path(scratch, "file").touch()
            Path(scratch, "deep/er").mkdir(parents=True)

    assert digest_of(folder) == before
    (folder / "new").touch()  # afterwards, everything is as usual
