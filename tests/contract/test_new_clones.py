"""Clones with files are the same with and without the git program."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.blueprint import Blueprint
from commodore_py.adapters.git.layout import SWITCH
from commodore_py.adapters.git.repository import set_setting, setting_of
from commodore_py.dependencies.git import checkouts, clones
from commodore_py.dependencies.git.clones import CloneSource
from commodore_py.dependencies.git.remotes import RemoteClient
from tests.contract.git_repositories import FILES
from tests.support.builders import git, make_repository, url_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")
_OF_GIT = ("objects", "hooks", "index")


def remote_of(folder: Path, name: str = "remote.git") -> Path:
    """A repository with branches, and tags of two kinds."""
    remote = make_repository(folder / name, FILES)
    git(remote, *_USER, "tag", "--annotate", "--message", "one", "v1", "master")
    git(remote, "tag", "light", "master")
    git(remote, "branch", "feat/x", "master")
    return remote


def made(folder: Path, remote: Path, revision: str) -> tuple[dict[str, object], bool]:
    """What is left by a clone and a checkout, and whether that took no `git clone`."""
    taken: list[object] = []
    clone = clones.clone_with_files

    def noted(*arguments: object) -> object:
        taken.append(clone(*arguments))  # type: ignore[arg-type]
        return taken[-1]

    folder.mkdir(parents=True)
    source = CloneSource(RemoteClient(folder), Blueprint())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkouts, "clone_with_files", noted)
        url = url_of(remote) if remote.name == "remote.git" else str(remote)
        aside, refs = checkouts.clone_aside("it", folder / "it", url, source)
    wanted = revision or refs.default_branch
    checkouts.check_out(aside, refs, wanted, None, overwrite=True, root=folder)
    place = folder / "it"
    checkouts.swap_in(aside, place)
    set_setting(place, "commodore", "cluster", "c-one")
    return _left(place, refs), taken != [None]


def _left(place: Path, refs: object) -> dict[str, object]:
    git_folder = place / ".git"
    inside = (path.relative_to(git_folder) for path in git_folder.rglob("*"))
    files = [path for path in inside if path.parts[0] not in _OF_GIT]
    return {
        "refs": refs,
        "names": sorted(map(str, files)),
        "contents": {
            str(path): re.sub(rb"> \d+ ", b"> ", (git_folder / path).read_bytes())
            for path in files
            if (git_folder / path).is_file()
        },
        "stages": git(place, "ls-files", "--stage"),
        "files": {
            str(path.relative_to(place)): path.read_bytes()
            for path in place.rglob("*")
            if path.is_file() and git_folder not in path.parents
        },
        "status": git(place, "status", "--porcelain=v2", "--branch"),
        "fsck": git(place, "fsck", "--connectivity-only"),
        "all refs": git(place, "for-each-ref"),
        "owner": setting_of(place, "commodore", "cluster"),
    }


def compare(folder: Path, remote: Path, revision: str, *, plain: bool = True) -> None:
    """Clone both ways; `plain` says whether one of them takes no `git clone`."""
    ours, without_program = made(folder / "ours", remote, revision)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMMODORE_TUNING", "off")
        gits, never = made(folder / "gits", remote, revision)

    assert not never
    assert without_program == (plain and SWITCH not in os.environ)
    assert ours == gits


@pytest.mark.parametrize("revision", ["", "master", "feat/x", "v1", "light"])
def test_a_clone_is_the_same_both_ways(tmp_path: Path, revision: str) -> None:
    compare(tmp_path, remote_of(tmp_path), revision)


@pytest.mark.parametrize("name", ["two  spaces", "a\ttab", "\udcff", "ü", 'a"quote'])
def test_remotes_of_any_name_are_cloned(tmp_path: Path, name: str) -> None:
    compare(tmp_path, remote_of(tmp_path, name), "")


def _detached(remote: Path) -> None:
    git(remote, "update-ref", "--no-deref", "HEAD", git(remote, "rev-parse", "master"))


def _unborn(remote: Path) -> None:
    git(remote, "symbolic-ref", "HEAD", "refs/heads/later")


def _with_settings(remote: Path) -> None:
    git(remote, "config", "uploadpack.hideRefs", "refs/tags")


@pytest.mark.parametrize("change", [_detached, _unborn, _with_settings])
def test_unusual_remotes_are_left_to_git(tmp_path: Path, change: Callable[[Path], None]) -> None:
    remote = remote_of(tmp_path)
    change(remote)

    # A remote whose HEAD names no branch has one by its commit.
    compare(tmp_path, remote, "master", plain=change is _detached)


def test_settings_of_the_user_are_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    (tmp_path / "settings").write_text("[core]\n\tautocrlf = true\n")

    compare(tmp_path, remote_of(tmp_path), "", plain=False)


@pytest.mark.parametrize("value", ["c-one", "with spaces", ""])
def test_a_setting_is_written_as_git_writes_it(tmp_path: Path, value: str) -> None:
    def written(name: str) -> str:
        git(tmp_path, "init", "--quiet", name)
        set_setting(tmp_path / name, "commodore", "cluster", "c-before")
        set_setting(tmp_path / name, "commodore", "cluster", value)
        assert setting_of(tmp_path / name, "commodore", "cluster") == value
        return (tmp_path / name / ".git/config").read_text()

    ours = written("ours")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "program")
        gits = written("gits")

    assert ours == gits
