"""Commits of edits: one file and nothing else, by the user's own hooks and signatures."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from commodore_py.adapters.git import safe
from commodore_py.adapters.git.program import git, over_network, succeeds
from commodore_py.adapters.git.repository import default_branch_of, head_of, is_repository
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.catalog.identity import variables_of
from commodore_py.config import Author
from commodore_py.dependencies.lock.place import short_name
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import WorkPaths

_SHORT = 12
_OVERTAKEN = ("fetch first", "non-fast-forward", "cannot lock ref")


class Overtaken(CommodoreError):
    """Another push to the branch was faster."""


class Moved(CommodoreError):
    """The configuration is at other commits than those that an edit is based on."""

    problem_code = "edit/moved"


def configuration_version(paths: WorkPaths) -> str:
    """The commits of the global and the tenant configuration in a working directory, shortened."""
    checkouts = sorted(path for path in paths.classes.iterdir() if (path / ".git").exists())
    return "-".join(str(head_of(path)[0])[:_SHORT] for path in checkouts)


def refuse_moved(paths: WorkPaths, base: str) -> None:
    """Refuse an edit that is based on an older version of the configuration."""
    now = configuration_version(paths) if base else ""
    if now != base:
        raise Moved(
            f"the configuration has moved from {base} to {now}",
            hint="nothing was written; read the value again, and repeat the edit",
        )


def pinned(folder: Path) -> Iterator[Problem]:
    """Report a checkout at a tag or a commit, which the cluster uses in place of a branch."""
    if is_repository(folder) and head_of(folder)[1] is None:
        name = git(folder, "describe", "--tags", "--always")
        yield Problem(
            f"the cluster uses {name} of this repository, and no branch",
            where=str(folder),
            code="edit/pinned",
            remedy="the next compile does not have the edit: commit it on a branch, and have the"
            " cluster use a revision that includes that commit",
        )


class Repository:
    """The checkout that the file of an edit is in."""

    def __init__(self, file: Path) -> None:
        self.folder = Path(git(file.parent, "rev-parse", "--show-toplevel"))
        self._file = file
        self._name = str(file.relative_to(self.folder))

    def refuse_changes(self) -> None:
        """Refuse a file that differs from its last commit, as by an edit without --commit."""
        if git(self.folder, "status", "--porcelain", "--", self._name):
            command = f"git -C {quote(short_name(self.folder))} commit {quote(self._name)}"
            raise CommodoreError(
                "the file of the edit has changes that are not committed",
                where=str(self._file),
                hint=f"commit them first: {command}",
            )

    def check(self, *, push: bool, alone: bool = False) -> None:
        """Refuse, before anything is validated, what could not be committed, or pushed alone."""
        branch = head_of(self.folder)[1]
        usual = default_branch_of(self.folder)
        if branch is None:
            locked = "global" if self.folder.name == "global" else "tenant"
            raise CommodoreError(
                "the checkout is at no branch",
                where=str(self.folder),
                hint=f"check out a branch there: git checkout {usual}; if a lock pins the commit,"
                f" run `commodore lock update {locked}` once the edit is pushed",
            )
        upstream = f"refs/remotes/origin/{branch}"
        if push and not succeeds(self.folder, "rev-parse", "--quiet", "--verify", upstream):
            raise CommodoreError(
                f"branch {branch} is not at the remote",
                where=str(self.folder),
                hint="push it once",
            )
        if alone and git(self.folder, "rev-list", "--max-count=1", f"{upstream}..HEAD"):
            raise CommodoreError(
                "the checkout has commits that were not pushed",
                where=str(self.folder),
                hint="push or remove them there: an edit would publish them",
            )

    def commit(self, message: str, content: bytes, *, author: str = "") -> str:
        """Commit the file; whatever else is changed or staged stays as it is."""
        before = git(self.folder, "rev-parse", "HEAD")
        arguments = ("commit", "--quiet", "--only", "--file=-", "--", self._name)
        caller = Author(author, f"{author}@commodore.invalid")
        identity = variables_of(caller) if author else {}  # otherwise that of the user
        try:
            git(
                self.folder,
                *arguments,
                stdin=message.encode(),
                env={**safe.without_ours(), **identity},
                merge_stderr=True,
            )
        except ProgramFailed as error:
            git(self.folder, "reset", "--quiet", "--", self._name)
            no_identity = "user.email" in error.stderr
            reason = "Git has no identity of yours" if no_identity else error.stderr.strip()
            remedy = "set user.name and user.email with `git config --global`; "
            raise CommodoreError(
                f"the commit failed: {reason or error}",
                where=str(self.folder),
                hint=f"{remedy if no_identity else ''}the file was restored",
            ) from error
        if content_of(self._file) != content:
            self.take_back(before)
            raise CommodoreError(
                "a hook changed the file of the edit",
                where=str(self._file),
                hint="the file was restored; edit without --commit, and commit by hand",
            )
        return git(self.folder, "rev-parse", "HEAD")

    def take_back(self, before: str) -> None:
        """Undo the last commit; files stay as they are."""
        git(self.folder, "reset", "--quiet", "--soft", before)
        git(self.folder, "reset", "--quiet", "--", self._name)

    def forward(self) -> None:
        """Bring the checkout to what the remote has."""
        branch = head_of(self.folder)[1]
        git(self.folder, "merge", "--quiet", "--ff-only", f"origin/{branch}")

    def push(self, commit: str) -> None:
        """Push a commit to the branch of the checkout."""
        branch = head_of(self.folder)[1]
        try:
            over_network(self.folder, "push", "origin", f"{commit}:refs/heads/{branch}")
        except ProgramFailed as error:
            overtaken = any(sign in error.stderr for sign in _OVERTAKEN)
            kind = Overtaken if overtaken else CommodoreError
            raise kind(
                f"branch {branch} was not pushed: {error.stderr.strip()}",
                where=str(self.folder),
                hint=f"commit {commit[:10]} is kept in the checkout",
            ) from error
