"""The door of Git's files: those of a repository of others that are read by hand."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.adapters.git import (
    local_remote,
    objects,
    refs,
    repository,
    status,
    worktrees,
)
from commodore_py.errors import CommodoreError
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import spoilt

FILES = ("HEAD", "config", "packed-refs", "index", "refs/heads/main", "refs/heads/a", "commondir")
TEXTS = [
    b"ref: refs/heads/main\n",
    b"0" * 40 + b"\n",
    b"ref: ../../../../etc/passwd\n",
    b'[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = x\n',
    b"[include]\n\tpath = /dev/zero\n[core]\n\tfsmonitor = touch x\n",
    b"# pack-refs with: peeled fully-peeled sorted \n"
    + b"1" * 40
    + b" refs/heads/b\n^"
    + b"2" * 40,
    b"gitdir: ../../x\n",
    b"DIRC\0\0\0\2\0\0\0\1" + bytes(72) + b"TREE\0\0\0\4",
    b"DIRC\0\0\0\2\xff\xff\xff\xff",
]
CASES = st.dictionaries(st.sampled_from(FILES), spoilt(TEXTS), min_size=1, max_size=2)


@cache
def valid() -> Path:
    """A repository with a commit, a branch, a tag and packed refs."""
    folder = Path(tempfile.mkdtemp())
    for command in (
        ("init", "--quiet", "--initial-branch=main"),
        ("config", "remote.origin.url", "https://example.com/x.git"),
        ("commit", "--quiet", "--allow-empty", "--message=one"),
        ("tag", "--annotate", "--message=x", "v1"),
        ("branch", "a"),
        ("pack-refs", "--all"),
    ):
        author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *author, *command], cwd=folder, check=True, capture_output=True)
    (folder / "file").write_text("x")
    subprocess.run(["git", "add", "file"], cwd=folder, check=True)
    return folder


def feed(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "r")
        shutil.copytree(valid(), folder)
        git = folder / ".git"
        for file, content in files.items():
            (git / file).parent.mkdir(parents=True, exist_ok=True)
            (git / file).write_bytes(content)
        errors: list[CommodoreError] = []

        def in_a_ref() -> None:
            refs.value_in(str(git), "refs/heads/main")

        asks = (
            in_a_ref,
            lambda: repository.folders_of(folder),
            lambda: repository.head_of(folder),
            lambda: repository.remote_settings(folder),
            lambda: refs.read_refs(git, "refs/heads", "refs/tags"),
            lambda: refs.refs_of(folder),
            lambda: refs.commit_of(folder, "main"),
            lambda: status.seen_in_index(folder, repository.GitFolders(git, git)),
            lambda: status.tracked_if_clean(folder, git, git, "1" * 40),
            lambda: status.status(folder, untracked=True),
            lambda: worktrees.heads_of(git),
            lambda: local_remote.git_folder_of_remote(folder),
            lambda: objects.is_packed_commit(git, "1" * 40),
        )
        for ask in asks:
            try:
                ask()
            except CommodoreError as error:
                errors.append(error)
            except ValueError:
                # Of a file that is not plain; callers leave those to the program.
                if ask is not in_a_ref:
                    raise
        if len(errors) > 4:
            raise errors[0]


def test_git_files() -> None:
    survives(
        feed,
        CASES,
        {},
        *({"index": text} for text in TEXTS[-2:]),
        *({name: TEXTS[2]} for name in ("HEAD", "packed-refs", "refs/heads/main")),
        {"HEAD": b"ref: refs/heads/" + b"x" * 5000},
        {"HEAD": b"ref: refs/heads/a\0b"},
    )
