"""Whether a checkout is clean: never if Git reports it as changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.status import tracked_if_clean
from tests.support.builders import git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {"a.txt": "one\n", "folder/b.txt": "two\n", "folder/inner/c.txt": "three\n"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    source = make_repository(tmp_path / "r.git", FILES)
    git(tmp_path, "clone", "--quiet", str(source), "checkout")
    return tmp_path / "checkout"


def clean(checkout: Path) -> list[bytes] | None:
    folder = checkout / ".git"
    return tracked_if_clean(checkout, folder, folder, git(checkout, "rev-parse", "HEAD"))


def test_a_new_checkout_is_clean(checkout: Path) -> None:
    assert clean(checkout) == [name.encode() for name in FILES]


def test_untracked_files_do_not_matter(checkout: Path) -> None:
    (checkout / "new.txt").write_text("mine")

    assert clean(checkout)


def test_a_file_that_was_only_touched_is_read(checkout: Path) -> None:
    os.utime(checkout / "a.txt", ns=(1, 1))

    assert clean(checkout)


def edited(checkout: Path) -> None:
    (checkout / "a.txt").write_text("eno\n")


def backdated(checkout: Path) -> None:
    times = (checkout / "a.txt").stat()
    edited(checkout)
    os.utime(checkout / "a.txt", ns=(times.st_atime_ns, times.st_mtime_ns))


def staged(checkout: Path) -> None:
    edited(checkout)
    git(checkout, "add", "a.txt")


def staged_and_back(checkout: Path) -> None:
    staged(checkout)
    (checkout / "a.txt").write_text(FILES["a.txt"])


def removed_from_the_index(checkout: Path) -> None:
    git(checkout, "rm", "--quiet", "--cached", "a.txt")


def added(checkout: Path) -> None:
    (checkout / "new.txt").write_text("mine")
    git(checkout, "add", "new.txt")


def meant_to_be_added(checkout: Path) -> None:
    (checkout / "new.txt").write_text("mine")
    git(checkout, "add", "--intent-to-add", "new.txt")


def behind_a_link(checkout: Path) -> None:
    (checkout / "folder").rename(checkout / "elsewhere")
    (checkout / "folder").symlink_to("elsewhere")


def a_link(checkout: Path) -> None:
    (checkout / "a.txt").rename(checkout / "there.txt")
    (checkout / "a.txt").symlink_to("there.txt")


def a_folder(checkout: Path) -> None:
    (checkout / "a.txt").unlink()
    (checkout / "a.txt").mkdir()


def executable(checkout: Path) -> None:
    (checkout / "a.txt").chmod(0o755)


def missing(checkout: Path) -> None:
    (checkout / "a.txt").unlink()


def committed(checkout: Path) -> None:
    staged(checkout)
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(checkout, *who, "commit", "--quiet", "--message", "mine")
    git(checkout, "reset", "--quiet", "--soft", "HEAD~1")


def not_looked_at(checkout: Path) -> None:
    git(checkout, "update-index", "--assume-unchanged", "a.txt")
    edited(checkout)


def split(checkout: Path) -> None:
    git(checkout, "update-index", "--split-index")
    edited(checkout)


CHANGES = [
    *(edited, backdated, staged, staged_and_back, removed_from_the_index, added),
    *(meant_to_be_added, behind_a_link, a_link, a_folder, executable, missing, committed),
    *(not_looked_at, split),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_not_clean(checkout: Path, change: Callable[[Path], None]) -> None:
    change(checkout)

    assert clean(checkout) is None


@pytest.mark.parametrize("version", [2, 3, 4])
def test_indexes_of_all_versions(checkout: Path, version: int) -> None:
    git(checkout, "update-index", f"--index-version={version}", "--force-write-index")

    # The last of them is compressed, and left to Git.
    assert (clean(checkout) is None) == (version == 4)
    edited(checkout)
    assert clean(checkout) is None
