"""Commits of edits: these files and nothing else, by the user's own hooks and signatures."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git import safe
from commodore_py.adapters.git.program import fetch, git, git_bytes, over_network, succeeds
from commodore_py.adapters.git.repository import default_branch_of, head_of, is_repository
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Problem

from .commits import HookChanged, Overtaken

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from .commits import CommitRequest

_OVERTAKEN = ("fetch first", "non-fast-forward", "cannot lock ref")
_FILE = "100644"


def pinned(folders: Iterable[Path]) -> Iterator[Problem]:
    """Checkouts at a tag or a commit, which the cluster uses in place of a branch."""
    for folder in sorted(folders):
        if is_repository(folder) and head_of(folder)[1] is None:
            name = git(folder, "describe", "--tags", "--always")
            yield Problem(
                f"the cluster uses {name} of this repository, and no branch",
                where=str(folder),
                code="edit/pinned",
                remedy="the next compile does not have the edit: use --branch NAME to commit it,"
                " and have the cluster use a revision that includes that commit",
            )


class Repository:
    """The checkout that the files of an edit are in."""

    def __init__(self, files: Collection[Path]) -> None:
        tops = {git(file.parent, "rev-parse", "--show-toplevel") for file in files}
        if len(tops) != 1:
            raise CommodoreError(
                "an edit of several repositories cannot be one commit",
                where="\n".join(sorted(map(str, files))),
                hint="edit each repository by itself",
            )
        self.folder = Path(tops.pop())
        self._names = sorted(str(file.relative_to(self.folder)) for file in files)

    def check(self, request: CommitRequest) -> None:
        """Refuse, before anything is validated, what could not be committed."""
        if request.branch:
            self._check_branch(request.branch)
            return
        changed = git(self.folder, "status", "--porcelain", "--", *self._names)
        if changed:
            raise CommodoreError(
                "a file of the edit has changes that are not committed",
                where="\n".join(str(self.folder / name) for name in self._names),
                hint="commit them first, or use --branch to leave the checkout as it is",
            )
        branch = head_of(self.folder)[1]
        usual = default_branch_of(self.folder)
        if branch is None:
            raise CommodoreError(
                "the checkout is at no branch",
                where=str(self.folder),
                hint=f"check out a branch, such as {usual}, or use --branch NAME",
            )
        if request.push and not self._has(f"refs/remotes/origin/{branch}"):
            raise CommodoreError(
                f"branch {branch} is not at the remote",
                where=str(self.folder),
                hint=f"push it once, or use --branch NAME on top of {usual}",
            )

    def commit(self, message: str, contents: Mapping[Path, bytes]) -> str:
        """Commit the files; whatever else is changed or staged stays as it is."""
        before = git(self.folder, "rev-parse", "HEAD")
        own = ("commit", "--quiet", "--only", "--file=-", "--", *self._names)
        try:
            git(
                self.folder,
                *own,
                stdin=message.encode(),
                env=safe.without_ours(),
                merge_stderr=True,
            )
        except ProgramFailed as error:
            git(self.folder, "reset", "--quiet", "--", *self._names)
            raise CommodoreError(
                f"the commit failed: {error.stderr.strip() or error}",
                where=str(self.folder),
                hint="the files were restored",
            ) from error
        changed = {
            file: content_of(file) for file in contents if content_of(file) != contents[file]
        }
        if changed:
            self.take_back(before)
            hooked = HookChanged(
                "a hook changed a file of the edit",
                where=str(min(changed)),
                hint="the files were restored; edit without --commit, and commit by hand",
            )
            hooked.contents = changed
            raise hooked
        return git(self.folder, "rev-parse", "HEAD")

    def take_back(self, before: str) -> None:
        """Undo the last commit; files stay as they are."""
        git(self.folder, "reset", "--quiet", "--soft", before)
        git(self.folder, "reset", "--quiet", "--", *self._names)

    def commit_to_branch(self, branch: str, message: str, contents: Mapping[Path, bytes]) -> str:
        """Commit contents on top of the remote's head, as a new branch."""
        base = self.base
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": os.path.join(folder, "index")}  # noqa: PTH118 - a text
            git(self.folder, "read-tree", base, env=env)
            for file, content in contents.items():
                name = str(file.relative_to(self.folder))
                blob = git(self.folder, "hash-object", "-w", "--stdin", stdin=content)
                listed = git(self.folder, "ls-tree", base, "--", name)
                mode = listed.split(" ", 1)[0] if listed else _FILE
                git(self.folder, "update-index", "--add", "--cacheinfo", mode, blob, name, env=env)
            tree = git(self.folder, "write-tree", env=env)
        text = message.encode()
        commit = git(
            self.folder, "commit-tree", "-p", base, tree, stdin=text, env=safe.without_ours()
        )
        why = f"commit: {message.partition(chr(10))[0]}"
        git(self.folder, "update-ref", "-m", why, f"refs/heads/{branch}", commit, "0" * len(commit))
        return commit

    @property
    def base(self) -> str:
        """The remote's head."""
        return git(self.folder, "rev-parse", f"origin/{default_branch_of(self.folder)}")

    def text_at_base(self, file: Path) -> bytes:
        """The content that a file has in the remote's head."""
        return git_bytes(self.folder, "show", f"{self.base}:{file.relative_to(self.folder)}")

    def fetch(self) -> None:
        """Update what is known of the remote."""
        fetch(self.folder)

    def forward(self) -> None:
        """Bring the checkout to what the remote has."""
        branch = head_of(self.folder)[1]
        git(self.folder, "merge", "--quiet", "--ff-only", f"origin/{branch}")

    def push(self, commit: str, branch: str = "") -> None:
        """Push a commit to the branch of the checkout, or to a new one."""
        target = branch or head_of(self.folder)[1]
        try:
            over_network(self.folder, "push", "origin", f"{commit}:refs/heads/{target}")
        except ProgramFailed as error:
            kind = CommodoreError
            if not branch and any(sign in error.stderr for sign in _OVERTAKEN):
                kind = Overtaken
            raise kind(
                f"branch {target} was not pushed: {error.stderr.strip()}",
                where=str(self.folder),
                hint=f"commit {commit[:10]} is kept in the checkout",
            ) from error

    def _check_branch(self, branch: str) -> None:
        if not succeeds(self.folder, "check-ref-format", "--branch", branch):
            raise CommodoreError(f"{branch} is not a valid name of a branch")
        self.fetch()
        if self._has(f"refs/heads/{branch}") or self._has(f"refs/remotes/origin/{branch}"):
            raise CommodoreError(
                f"branch {branch} exists already",
                where=str(self.folder),
                hint="name a new branch, or delete that one",
            )

    def _has(self, ref: str) -> bool:
        return succeeds(self.folder, "rev-parse", "--quiet", "--verify", ref)
