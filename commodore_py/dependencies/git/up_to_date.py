"""What is up to date: clones and checkouts at the wanted version, by their files.

No program is started and nothing is written. None stands for all else: there is something to
do, or the git program is needed.
"""

# Of so many files, Path takes longer than the system calls do.
# ruff: noqa: PTH110, PTH112, PTH113, PTH114
from __future__ import annotations

import os
from os.path import exists, isdir, isfile, islink
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.git.refs import BRANCHES, FALLBACK_BRANCH, TAGS, Refs, refs_in_files
from commodore_py.adapters.git.repository import origin_in, wanted_remote
from commodore_py.adapters.git.worktrees import heads_in_files
from commodore_py.adapters.reading import text_of
from commodore_py.dependencies.protection.local_work import is_recorded

from . import clean_check
from .remotes import lacks, refs_from
from .revisions import Found, is_commit, named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.refs import RefValues
    from commodore_py.adapters.git.worktrees import Head

    from .remotes import RemoteRefs

_DEFAULT = f"{BRANCHES}HEAD"
_KEPT = (
    *("refs/remotes/", TAGS, "refs/commodore/backup/", "refs/commodore/pushed/"),
    "refs/worktree/commodore/",
)


def commits_at(
    bare: Path,
    url: str,
    wanted: Mapping[Path, str],
    query: Callable[[str, str], RemoteRefs | None],
) -> list[str] | None:
    """The commits of a clone's worktrees, if each is at the version that is wanted of it.

    `query` is given the remote's URL and the clone's settings.
    """
    clone = _plain_clone(bare, url, "refs/heads", BRANCHES, TAGS)
    if clone is None:
        return None
    have, settings = clone
    try:
        heads = list(heads_in_files(bare, have))
    except (OSError, ValueError):
        return None
    refs = _refs_for(have, set(wanted.values()), lambda: query(url, settings))
    if refs is None:
        return None
    commits = []
    for worktree, version in wanted.items():
        head = _head_of(worktree, heads)
        found = _found(refs, version, prefer="tag")
        if head is None or found is None:
            return None
        others = {other.branch for other in heads if other is not head}
        # Git allows a branch in one worktree only; the second one just has its commit.
        branch = "" if found.branch in others else found.branch
        if (head.commit, head.branch) != (found.commit, branch) or not _is_ours(
            worktree, bare, head
        ):
            return None
        commits.append(found.commit)
    return commits


def configuration_at(
    directory: Path,
    url: str,
    revision: str,
    query: Callable[[str, str], RemoteRefs | None],
) -> tuple[str, str] | None:
    """The commit of a clone with files, and its default branch, if it is at a revision."""
    git_folder = directory / ".git"
    if islink(directory) or not isdir(git_folder) or islink(git_folder):
        return None
    clone = _plain_clone(git_folder, url, "refs")
    if clone is None:
        return None
    have, settings = clone
    refs = _refs_for_all(have, revision, lambda: query(url, settings))
    found = _found(refs, revision or refs.default_branch, prefer="branch") if refs else None
    if refs is None or found is None:
        return None
    head = have.symbolic.get("HEAD", "")
    at = (have.objects.get(head or "HEAD", ""), head.removeprefix("refs/heads/"))
    if at != (found.commit, found.branch) or not _all_is_published(have, found.commit):
        return None
    clean = is_recorded(git_folder, found.commit) and clean_check.is_clean(
        directory, git_folder, git_folder, found.commit, untracked=True
    )
    return (found.commit, refs.default_branch) if clean else None


def _plain_clone(git_folder: Path, url: str, *below: str) -> tuple[RefValues, str] | None:
    """The refs and settings of a clone whose files may be read, if its remote is this one."""
    have = refs_in_files(git_folder, *below)
    if have is None:
        return None
    try:
        settings = text_of(f"{git_folder}/config")
    except (OSError, ValueError):
        return None
    return (have, settings) if origin_in(settings) == wanted_remote(url) else None


def _refs_for(
    have: RefValues, versions: set[str], query: Callable[[], RemoteRefs | None]
) -> Refs | None:
    """What a clone has, if its remote has nothing else for these versions."""
    names = {version for version in versions if not is_commit(version)}
    if not names:  # commits never change
        return Refs({}, "")
    response = query()
    if response is None or lacks(response, have, names):
        return None
    return refs_from(response, have, names)


def _refs_for_all(
    have: RefValues, revision: str, query: Callable[[], RemoteRefs | None]
) -> Refs | None:
    """The same for a clone whose refs are all kept up to date, and one revision."""
    noted = have.symbolic.get(_DEFAULT, "")
    if is_commit(revision):
        there = not noted or noted in have.objects
        return Refs({}, noted.removeprefix(BRANCHES) or FALLBACK_BRANCH) if there else None
    response = query()
    if response is None or lacks(response, have, None):
        return None
    if response.default_branch and noted != BRANCHES + response.default_branch:
        return None
    return refs_from(response, have, ())


def _found(refs: Refs, version: str, *, prefer: Literal["branch", "tag"]) -> Found | None:
    return Found(version) if is_commit(version) else named(refs, version, prefer=prefer)


def _head_of(worktree: Path, heads: Collection[Head]) -> Head | None:
    """The worktree in a place, by what the clone knows."""
    for link in _links_in(worktree):
        for head in heads:
            if head.link == link:
                return head
    return None


def _links_in(worktree: Path) -> Iterator[str]:
    if not islink(worktree):
        yield f"{worktree}/.git"
        yield os.path.realpath(worktree) + "/.git"


def _is_ours(worktree: Path, bare: Path, head: Head) -> bool:
    """Whether a worktree is complete, and without local work."""
    return (
        isfile(f"{head.admin}/commondir")
        and not exists(f"{head.admin}/locked")
        and is_recorded(head.admin, head.commit)
        and clean_check.is_clean(worktree, head.admin, bare, head.commit, untracked=False)
    )


def _all_is_published(have: RefValues, commit: str) -> bool:
    """Whether all local branches are at commits that exist elsewhere, too."""
    published = {
        value
        for values in (have.objects, have.peeled)
        for name, value in values.items()
        if name.startswith(_KEPT)
    }
    tips = {value for name, value in have.objects.items() if name.startswith("refs/heads/")}
    return {commit, *tips} <= published
