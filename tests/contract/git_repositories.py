"""Repositories of every format that Git knows, each with a checkout of it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_in, git, git_succeeds, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {"a.txt": "one\n", "folder/b.txt": "two\n", "folder/inner/c.txt": "three\n", "z.sh": "#!\n"}
_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")


def plain(folder: Path) -> Path:
    """A clone with branches, tags, and a tag of a tag."""
    source = make_repository(folder / "remote.git", FILES)
    git(source, *_USER, "tag", "--annotate", "--message", "one", "v1", "master")
    git(source, *_USER, "tag", "--annotate", "--message", "two", "v1-again", "v1")
    git(source, "tag", "light", "master")
    git(source, "branch", "feat/x")
    git(folder, "clone", "--quiet", str(source), "checkout")
    git(folder / "checkout", "config", "commodore.cluster", "c-one")
    return folder / "checkout"


def packed(folder: Path) -> Path:
    checkout = plain(folder)
    commit_in(checkout, {"new.txt": "new\n"})
    git(checkout, "gc", "--quiet")
    git(checkout, "branch", "loose")
    return checkout


def detached(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "checkout", "--quiet", "--detach", "v1")
    return checkout


def empty(folder: Path) -> Path:
    git(folder, "init", "--quiet", "--initial-branch=main", "checkout")
    return folder / "checkout"


def worktree(folder: Path) -> Path:
    """A worktree of a bare clone that has two others, one of them on a branch."""
    bare = folder / "clone.git"
    git(folder, "clone", "--quiet", "--bare", str(plain(folder)), bare.name)
    git(bare, "worktree", "add", "--quiet", str(folder / "other"), "-b", "other")
    git(bare, "worktree", "add", "--quiet", "--detach", str(folder / "third"), "v1")
    git(bare, "worktree", "add", "--quiet", "--detach", str(folder / "worktree"))
    git(folder / "worktree", "update-ref", "refs/worktree/commodore/checkout", "HEAD")
    return folder / "worktree"


def sha256(folder: Path) -> Path:
    return _made_with(folder, "--object-format=sha256", needs="Git 2.29")


def reftable(folder: Path) -> Path:
    return _made_with(folder, "--ref-format=reftable", needs="Git 2.45")


def _made_with(folder: Path, option: str, *, needs: str) -> Path:
    made = subprocess.run(
        ["git", "init", "--quiet", option, "checkout"], cwd=folder, capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"this git has no {option}: install {needs} or newer")
    checkout = folder / "checkout"
    commit_in(checkout, FILES)
    git(checkout, *_USER, "tag", "--annotate", "--message", "one", "v1")
    git(checkout, "branch", "other")
    git(checkout, "config", "remote.origin.url", "/elsewhere")
    git(checkout, "worktree", "add", "--quiet", str(folder / "other"), "other")
    return checkout


def split_index(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "update-index", "--split-index")
    (checkout / "a.txt").write_text("eno\n")
    return checkout


def sparse_checkout(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "sparse-checkout", "set", "--cone", "folder/inner")
    return checkout


def sparse_index(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "sparse-checkout", "set", "--cone", "--sparse-index", "folder/inner")
    return checkout


def index_version(number: int) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        checkout = plain(folder)
        if number == 3:  # what needs it: an entry with extended flags
            (checkout / "meant.txt").write_text("meant\n")
            git(checkout, "add", "--intent-to-add", "meant.txt")
        git(checkout, "update-index", f"--index-version={number}", "--force-write-index")
        (checkout / "a.txt").write_text("changed\n")
        return checkout

    return made


def assume_unchanged(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "update-index", "--assume-unchanged", "a.txt")
    (checkout / "a.txt").write_text("changed\n")
    return checkout


def skip_worktree(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "update-index", "--skip-worktree", "a.txt")
    (checkout / "a.txt").unlink()
    return checkout


def untracked_cache(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "config", "core.untrackedCache", "true")
    git(checkout, "config", "core.fsmonitor", "false")
    git(checkout, "status")
    (checkout / "new.txt").write_text("mine\n")
    return checkout


def merge_conflict(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "checkout", "--quiet", "-b", "mine")
    commit_in(checkout, {"a.txt": "mine\n"})
    git(checkout, "checkout", "--quiet", "-b", "theirs", "master")
    commit_in(checkout, {"a.txt": "theirs\n"})
    git_succeeds(checkout, *_USER, "merge", "--quiet", "mine")
    return checkout


def included_settings(folder: Path) -> Path:
    checkout = plain(folder)
    more = folder / "more.config"
    more.write_text('[remote "origin"]\n\tpushurl = /pushed\n')
    git(checkout, "config", "include.path", str(more))
    return checkout


def worktree_settings(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "config", "extensions.worktreeConfig", "true")
    git(checkout, "config", "--worktree", "remote.origin.pushurl", "/pushed")
    return checkout


def borrowed_objects(folder: Path) -> Path:
    source = plain(folder)
    git(folder, "clone", "--quiet", "--shared", str(source), "shared")
    return folder / "shared"


def symbolic_branch(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "symbolic-ref", "refs/heads/other", "refs/heads/master")
    git(checkout, "symbolic-ref", "HEAD", "refs/heads/other")
    return checkout


def separate_folder(folder: Path) -> Path:
    checkout = plain(folder)
    git(checkout, "init", "--quiet", f"--separate-git-dir={folder / 'apart'}")
    return checkout


def changed_files(folder: Path) -> Path:
    checkout = plain(folder)
    (checkout / "a.txt").write_text("eno\n")
    (checkout / "z.sh").chmod(0o755)
    (checkout / "folder/b.txt").unlink()
    (checkout / "new.txt").write_text("new\n")
    git(checkout, "add", "new.txt")
    (checkout / "untracked.txt").write_text("mine\n")
    return checkout


REPOSITORIES: dict[str, Callable[[Path], Path]] = {
    "plain": plain,
    "packed refs and objects": packed,
    "detached HEAD": detached,
    "no commit": empty,
    "worktree": worktree,
    "SHA-256": sha256,
    "reftable": reftable,
    "split index": split_index,
    "sparse checkout": sparse_checkout,
    "sparse index": sparse_index,
    "index version 2": index_version(2),
    "index version 3": index_version(3),
    "index version 4": index_version(4),
    "assume-unchanged": assume_unchanged,
    "skip-worktree": skip_worktree,
    "untracked cache": untracked_cache,
    "merge conflict": merge_conflict,
    "included settings": included_settings,
    "settings of a worktree": worktree_settings,
    "borrowed objects": borrowed_objects,
    "symbolic branch": symbolic_branch,
    "separate Git folder": separate_folder,
    "changed files": changed_files,
}
# What these need is read by no one but Git.
FOR_THE_PROGRAM = {
    "SHA-256",
    "reftable",
    "sparse checkout",
    "sparse index",
    "included settings",
    "settings of a worktree",
}
