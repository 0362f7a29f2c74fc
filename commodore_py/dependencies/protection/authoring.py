"""New checkouts for authors, and the deletion of checkouts."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import (
    aside_of,
    make_folder,
    read_tree,
    remove,
    remove_at_once,
    rename,
    write_if_changed,
)
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import (
    clone_of,
    configure_remote,
    is_repository,
    remote_settings,
)
from commodore_py.adapters.git.worktrees import commit_at, reconnect_moved, worktrees_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.bare_repositories import make_bare, remove_bare
from commodore_py.errors import CommodoreError

from .checkout_record import CheckedOut, CheckoutRecord
from .local_work import (
    LocalWork,
    forget_deleted,
    holds_repositories,
    keep_branch,
    move_aside,
    put_aside,
    unpushed,
    whole_work,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths

log = logging.getLogger(__name__)

BRANCH = "master"


@dataclass(frozen=True, slots=True)
class FirstCommit:
    """The first content of a new repository."""

    content: Path
    """A folder with its files."""
    message: str
    who: Mapping[str, str]
    """Author and committer, as Git's variables."""


def begin_repository(place: Path, url: str, first: FirstCommit) -> None:
    """Make a repository of its own at a place that is free."""
    aside = aside_of(place)
    try:
        git(place.parent, "init", "--quiet", f"--initial-branch={BRANCH}", str(aside))
        configure_remote(aside, url)
        commit = _commit(aside / ".git", first)
        git(aside, "update-ref", f"refs/heads/{BRANCH}", commit)
        git(aside, "reset", "--quiet", "--hard")
        _bring_ignored(first.content, aside)
        rename(aside, place)
    finally:
        remove(aside)


def begin_worktree(paths: WorkPaths, place: Path, url: str, first: FirstCommit) -> None:
    """Make a worktree in a working directory, of a clone whose remote need not be there yet."""
    bare = paths.bare_clones / git_urls.dependency_key(url)
    with _clone(bare, url):
        _refuse_history(bare, url)
        commit = _commit(bare, first)
        reconnect_moved(bare, place.parent)
        forget_deleted(bare, recorded=lambda _: False)
        keep_branch(bare, BRANCH, commit)
        git(bare, "update-ref", f"refs/heads/{BRANCH}", commit)
        try:
            git(bare, "worktree", "add", "--quiet", str(place.absolute()), BRANCH)
        except BaseException:
            remove(place)
            git(bare, "worktree", "prune")
            raise
        _bring_ignored(first.content, place)
        record = CheckoutRecord(paths)
        record.note(place, CheckedOut(*commit_at(place), git_urls.normalise(url)))
        record.save()


def checkout_problem(what: str, place: Path) -> CommodoreError | None:
    """Why a checkout cannot be deleted, whatever may be lost."""
    if place.is_symlink():
        return CommodoreError(
            f"{what} is a link to {place.resolve()}; nothing was deleted",
            where=str(place),
            hint="remove the link yourself",
        )
    if not is_repository(place):
        return CommodoreError(
            f"{what} is not a Git checkout; nothing was deleted",
            where=str(place),
            hint="check what is in that folder, and remove it yourself",
        )
    if not remote_settings(place).get("url"):
        return CommodoreError(
            f"{what} has no remote called origin, so it may exist nowhere else;"
            " nothing was deleted",
            where=str(place),
            hint="check what is in that folder, and remove it yourself",
        )
    return None


def local_work(paths: WorkPaths, what: str, place: Path) -> LocalWork | None:
    """Work in a checkout that exists nowhere else, but for the first commit of a new component."""
    record = CheckoutRecord(paths)
    work = whole_work(place, recorded=lambda commit: record.at(place, commit) is not None)
    if not work:
        return None
    problem = LocalWork.found(what, place, work)
    problem.hint = "commit and push it; or delete with --force, which backs it up"
    return problem


def delete_checkout(paths: WorkPaths, what: str, place: Path) -> Path | None:
    """Delete a checkout, and its clone if nothing else is in it; returns a clone that remains.

    Local work is backed up first. A clone that is not the working directory's is never deleted.
    """
    bare = clone_of(place) if (place / ".git").is_file() else None
    has_work = local_work(paths, what, place) is not None
    if bare is None:
        if has_work:
            move_aside(f"{what}: the clone with local work", place)
            return None
        remove_at_once(place)
        return None
    if has_work:
        put_aside(place, what, kept_in=bare)
    head = commit_of(place, "HEAD") or ""
    ours = head if CheckoutRecord(paths).at(place, head) is not None else ""
    if holds_repositories(place):
        move_aside(f"{what}: the checkout with other repositories", place)
    else:
        remove_at_once(place)
    succeeds(bare, "worktree", "remove", "--force", "--force", str(place))
    is_ours = bare.resolve().is_relative_to(paths.bare_clones.resolve())
    if not is_ours or worktrees_of(bare) or _holds_work(bare, ours):
        return bare
    remove_bare(bare)
    return None


@contextmanager
def _clone(bare: Path, url: str) -> Iterator[None]:
    """A clone to work in; removed after a failure, unless it existed before."""
    fresh = not (bare / "HEAD").is_file()
    try:
        if fresh:
            make_folder(bare.parent)
            make_bare(bare, "")
        configure_remote(bare, url)
        yield
    except BaseException:
        if fresh:
            remove_bare(bare)
        raise


def _refuse_history(bare: Path, url: str) -> None:
    shown = without_secrets(git_urls.normalise(url))
    if git(bare, "for-each-ref", "--count=1", "refs/remotes/origin"):
        raise CommodoreError(
            f"{shown} exists already, with a history of its own",
            where=str(bare),
            hint="choose another name; or use that repository, with git worktree add",
        )
    for worktree in worktrees_of(bare):
        if worktree.branch == BRANCH and worktree.path.is_dir():
            raise CommodoreError(
                f"{shown} is checked out already",
                where=str(worktree.path),
                hint="choose another name, or continue there",
            )


def _commit(git_folder: Path, first: FirstCommit) -> str:
    """A commit of a folder's files, without those that its own rules ignore."""
    index = aside_of(git_folder / "index")
    env = {"GIT_INDEX_FILE": str(index), **first.who}
    where = (f"--git-dir={git_folder.resolve()}", f"--work-tree={first.content.resolve()}")
    try:
        # The user's global ignore rules do not apply to the template's files.
        rules = ("-c", "core.excludesFile=/dev/null")
        git(
            first.content, *rules, *where, "add", "--all", "--", ".", ":!*.orig", ":!*.rej", env=env
        )
        tree = git(first.content, *where, "write-tree", env=env)
        return git(
            first.content,
            *where,
            "commit-tree",
            "--no-gpg-sign",
            tree,
            "-m",
            first.message,
            env=env,
        )
    finally:
        remove(index)


def _bring_ignored(content: Path, place: Path) -> None:
    """Files that are there from the beginning, but not part of the repository."""
    for path, entry in read_tree(content).items():
        if not (place / path).exists():
            write_if_changed(place / path, entry.content, executable=entry.executable)


def _holds_work(bare: Path, ours: str) -> bool:
    if git(bare, "for-each-ref", "--count=1", "refs/commodore/backup", "refs/stash"):
        return True
    published = [f"^{ours}"] if ours else []
    return succeeds(bare, "rev-parse", "--git-dir") and bool(
        unpushed(bare, "--branches", *published)
    )
