"""Merge the changes of a template into a repository, in a clone beside it.

The author's checkout changes only when the commit in the clone is complete, so that neither a
conflict nor a failure leaves anything to undo.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import is_executable, write_tree
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.text import diff_text
from commodore_py.catalog.identity import committer, variables_of
from commodore_py.config import Author
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.catalog import DiffLine


class InConflict(CommodoreError):
    """The author and the template changed the same lines."""


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone of a repository, at the commit of its checkout."""

    folder: Path
    """The author's checkout."""
    clone: Path
    base: str
    """The commit of the checkout."""
    identity: dict[str, str]
    """The variables for the author and committer of commits there."""

    def present(self) -> set[PurePosixPath]:
        """The files of the repository."""
        return {PurePosixPath(name) for name in _names(self.clone, "ls-files", "-z")}

    def merge(self, before: Tree, after: Tree) -> tuple[str, ...]:
        """Merge the changes between two renderings; returns the files that only the author keeps.

        Git's own three-way merge: the older rendering is the common ancestor.
        """
        env = self.identity
        base = self._commit_tree(before, env)
        theirs = self._commit_tree(after, env, "-p", base)
        if succeeds(
            self.clone, "-c", "merge.renames=false", "cherry-pick", "--no-commit", theirs, env=env
        ):
            return ()
        unmerged = _names(self.clone, "diff", "--name-only", "--diff-filter=U", "-z")
        removed = {str(path) for path in before if path not in after}
        kept = [name for name in unmerged if name in removed]
        conflicts = [
            f"{name} changed on both sides"
            if PurePosixPath(name) in before
            # Git calls a file so if the template has a folder in its place.
            else f"{name.removesuffix('~HEAD')} already exists with other content"
            for name in unmerged
            if name not in kept
        ]
        if conflicts or not kept:
            raise InConflict(
                "the template's changes conflict with yours:"
                f" {'; '.join(conflicts) or 'Git cannot merge them'}; nothing was changed",
                where=str(self.folder),
                hint="make the template's changes in these files and commit them; or exclude a"
                " file with `skip` in .cruft.json",
            )
        git(self.clone, "--literal-pathspecs", "add", "--force", "--", *kept)
        return tuple(kept)

    def remove(self, *paths: str) -> None:
        """Remove files and folders, as far as they exist."""
        how = ("-r", "--quiet", "--force", "--ignore-unmatch")
        git(self.clone, "--literal-pathspecs", "rm", *how, "--", *paths)

    def write(self, name: str, content: bytes) -> None:
        """Write a file; a link is replaced."""
        (self.clone / name).unlink(missing_ok=True)
        (self.clone / name).write_bytes(content)
        git(self.clone, "--literal-pathspecs", "add", "--force", "--", name)

    def commit(self, message: str) -> str:
        """Commit all changes for the checkout to take; empty if there are none."""
        if succeeds(self.clone, "diff", "--cached", "--quiet", "HEAD"):
            return ""
        # The user's Git hooks are for the user's commits.
        how = ("--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace")
        git(self.clone, "commit", *how, "--message", message, env=self.identity)
        fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head")
        git(self.folder, *fetch, str(self.clone), "HEAD")
        return git(self.clone, "rev-parse", "HEAD")

    def changes(self) -> tuple[tuple[PurePosixPath, ...], tuple[DiffLine, ...]]:
        """The paths that the update changes, and lines that show how."""
        names = _names(self.clone, "diff", "--name-only", "--no-renames", "-z", self.base, "HEAD")
        paths = tuple(map(PurePosixPath, names))
        return paths, diff(_read(self.folder, paths), _read(self.clone, paths))

    def _commit_tree(self, tree: Tree, identity: dict[str, str], *parent: str) -> str:
        with tempfile.TemporaryDirectory(prefix="commodore-update-") as scratch:
            files = Path(scratch) / "files"
            files.mkdir()
            write_tree(files, tree)
            env = {**identity, "GIT_INDEX_FILE": str(Path(scratch) / "index")}
            where = (f"--git-dir={self.clone / '.git'}", f"--work-tree={files}")
            git(files, *where, "add", "--all", "--force", "--", ".", env=env)
            tree_id = git(files, *where, "write-tree", env=env)
            how = ("--no-gpg-sign", *parent, "-m", "template")
            return git(files, *where, "commit-tree", *how, tree_id, env=env)


@contextmanager
def cloned(folder: Path) -> Iterator[Clone]:
    """A clone of a repository, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="commodore-update-") as scratch:
        clone = Path(scratch) / "clone"
        head = git(folder, "rev-parse", "HEAD")
        how = ("--quiet", "--shared", "--no-checkout", "--no-tags")
        git(folder, "clone", *how, "--", str(folder), str(clone))
        git(clone, "checkout", "--quiet", "--detach", head)
        yield Clone(folder, clone, head, variables_of(committer(Author(), folder)))


def take(folder: Path, update: str, *, commit: bool) -> None:
    """Change a checkout to a commit that follows its own; optionally without committing."""
    # The commit is ours, and not signed.
    how = ("--quiet", "--ff-only", "--no-overwrite-ignore", "--no-verify-signatures")
    try:
        git(folder, "merge", *how, update)
    except ProgramFailed as error:
        if "untracked" not in error.stderr:
            raise
        # Git indents the names.
        lines = error.stderr.splitlines()
        names = sorted({line.strip() for line in lines if line.startswith("\t")})
        raise CommodoreError(
            f"files that Git ignores are in the way: {', '.join(names)}; nothing was changed",
            where=str(folder),
            hint="move or remove them, or exclude them with `skip` in .cruft.json",
        ) from error
    if not commit:
        git(folder, "reset", "--quiet", "HEAD~1")


def wanted_files(
    before: Tree, after: Tree, present: set[PurePosixPath], skipped: set[PurePosixPath]
) -> tuple[Tree, Tree]:
    """Both renderings without what is skipped, what the author deleted, and known placeholders."""
    deleted = _with_folders(before) - _with_folders(present)
    placeholders = {
        path
        for path, entry in after.items()
        if not entry.content and path in present and path not in before
    }
    unwanted = {
        path
        for path in {*before, *after}
        if path in placeholders | skipped | deleted or not deleted.isdisjoint(path.parents)
    }
    left = [
        Tree({path: entry for path, entry in tree.items() if path not in unwanted})
        for tree in (before, after)
    ]
    return left[0], left[1]


def diff(before: Tree, after: Tree) -> tuple[DiffLine, ...]:
    """Files that were added and removed, and the lines of those that changed."""
    return diff_text(change_between(before, after))


def _with_folders(paths: Iterable[PurePosixPath]) -> set[PurePosixPath]:
    return {part for path in paths for part in (path, *path.parents)}


def _names(clone: Path, *command: str) -> list[str]:
    return [name for name in git(clone, *command).split("\0") if name]


def _read(folder: Path, paths: Iterable[PurePosixPath]) -> Tree:
    files = {path: folder / path for path in paths if (folder / path).is_file()}
    return Tree(
        {
            path: Entry(content_of(file), executable=is_executable(file))
            for path, file in files.items()
        }
    )
