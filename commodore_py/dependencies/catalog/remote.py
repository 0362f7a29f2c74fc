"""Update the catalog's checkout to the tip of its remote, without loss of local work."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git, reach_push_url
from commodore_py.adapters.git.refs import FALLBACK_BRANCH, HEADS, commit_of
from commodore_py.adapters.git.repository import head_of
from commodore_py.adapters.git.status import Status, status
from commodore_py.adapters.git.worktrees import switch_worktree
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.checkouts import clean
from commodore_py.dependencies.git.clones import (
    cannot_fetch,
    clone_aside,
    swap_in,
    update_clone,
)
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import named
from commodore_py.dependencies.protection.journal import Journal, journaled
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    ignored_in_the_way,
    keep_branch,
    not_ours_to_replace,
    put_aside,
    unpushed,
)
from commodore_py.errors import CommodoreError
from commodore_py.model.spot import Fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.config import Config
    from commodore_py.dependencies.git.revisions import Found
    from commodore_py.model.cluster import Cluster


log = logging.getLogger(__name__)

# A run that is not pushed leaves these changed, and the next generates them again.
_GENERATED = ("manifests/", "refs/")
_MISSING = ("does not appear to be a git repository", "not found", "does not exist")


def query(config: Config, cluster: Cluster, now: Status) -> Refs:
    """List the refs of the remote; raises if the checkout contains local work."""
    what = _name(cluster)
    _foreign_work(what, config.paths.catalog, now, force=config.force)
    try:
        return list_refs(cluster.catalog_url, current=True)
    except ProgramFailed as error:
        raise _unreachable(cannot_fetch(what, cluster.catalog_url, error)) from error


def clone(config: Config, cluster: Cluster) -> tuple[str | None, str | None]:
    """Clone the catalog; returns its commit and branch."""
    directory, what = config.paths.catalog, _name(cluster)
    problem = not_ours_to_replace(what, directory)
    if problem is not None:
        raise problem
    try:
        aside, refs = clone_aside(what, directory, cluster.catalog_url)
    except CommodoreError as error:
        raise _unreachable(error) from error
    tip = named(refs, refs.default_branch, prefer="branch")
    if tip is not None:
        switch_worktree(aside, tip.commit, tip.branch, force=True)
    swap_in(aside, directory)
    if tip is not None:
        return tip.commit, tip.branch
    # An empty repository, or one whose HEAD names no branch yet: the clone's HEAD names it.
    return None, git(directory, "symbolic-ref", "HEAD").removeprefix(HEADS)


def update(
    config: Config,
    cluster: Cluster,
    now: Status,
    listed: Refs,
    settings: Mapping[str, str],
) -> tuple[str | None, str | None, bool]:
    """Bring the checkout to the tip of its remote.

    Returns the commit, the branch, and whether it is another remote now. `settings` are those of
    the checkout's repository.
    """
    directory, url, what = config.paths.catalog, cluster.catalog_url, _name(cluster)
    old, address = settings.get("remote.origin.url", ""), git_urls.normalise(url)
    moved = bool(old) and git_urls.dependency_key(old) != git_urls.dependency_key(url)
    tip = named(listed, listed.default_branch, prefer="branch")
    if old == address and tip == (now.commit, now.branch or "") and not now.changes:
        return now.commit, now.branch, False
    now = status(directory, untracked=True)  # it may have changed since the run began
    _protect(what, directory, now, force=config.force)
    try:
        update_clone(
            *(directory, url, {listed.default_branch}, listed),
            what=what,
            configured=old == address,
            follow_head=True,
        )
    except ProgramFailed as error:
        raise _unreachable(cannot_fetch(what, url, error)) from error
    if tip is not None:
        _take_tip(config, what, now, tip)
        return tip.commit, tip.branch, moved
    branch = _unborn_branch(url) if moved else now.branch
    _start_empty(directory, branch or FALLBACK_BRANCH)
    return *head_of(directory), moved


def _name(cluster: Cluster) -> str:
    return f"catalog of {cluster.id}"


def _unreachable(error: CommodoreError) -> CommodoreError:
    error.spots = (Fact("catalog", "url"),)
    error.where = f"{error.where}\n{error.spots[0]}"
    if any(sign in str(error) for sign in _MISSING):
        path = git_urls.local_path(error.where.partition("\n")[0])
        create = (
            f"`git init --bare {path}` creates it" if path else "make an empty repository there"
        )
        error.hint = (
            f"{create}, or correct gitRepo.url of the cluster;"
            " where it is there, you may not be allowed to read it"
        )
    return error


def check_push_url(config: Config, url: str) -> None:
    """Pushes often go elsewhere than fetches: errors are reported before a long compile."""
    try:
        reach_push_url(config.paths.root, url)
    except ProgramFailed as error:
        shown = without_secrets(git_urls.push_url(url))
        text = f"the catalog cannot be pushed to {shown}: {error.stderr.strip()}"
        hint = "give access to it, or have Git rewrite the URL: git config url.BASE.insteadOf"
        if config.strict:
            raise CommodoreError(text, where=shown, hint=hint) from error
        # No error yet: Commodore connects only once there is something to push.
        log.warning(text, extra={"hint": hint})


def _foreign_work(what: str, directory: Path, now: Status, *, force: bool) -> list[str]:
    """Changes that no compile made; a hidden entry right below our folders is the user's."""
    generated = tuple(path for _, path in now.changes if _is_generated(path))
    foreign = [
        line
        for line, (_, path) in zip(described(now), now.changes, strict=True)
        if path not in generated
    ]
    if foreign and not force:
        raise LocalWork.found(what, directory, foreign)
    return foreign


def _is_generated(path: str) -> bool:
    return any(
        path.startswith(folder) and not path.removeprefix(folder).startswith(".")
        for folder in _GENERATED
    )


def _protect(what: str, directory: Path, now: Status, *, force: bool) -> None:
    if _foreign_work(what, directory, now, force=force):
        put_aside(directory, what, kept_in=directory)
        clean(directory, untracked=True)
    elif now.commit and now.ahead != 0 and _has_unpushed_files(directory):
        # Commits of a push that failed: they are compiled again, but backed up.
        put_aside(directory, what, kept_in=directory)


def _protect_ignored(config: Config, what: str, commit: str, tip: str) -> None:
    """Ignored files may stay, so they are not local work; generated files are generated again."""
    directory = config.paths.catalog
    names = [name for name in ignored_in_the_way(directory, commit) if not _is_generated(name)]
    if names and not config.force:
        raise LocalWork.blocking(what, directory, names, tip)
    if names:
        put_aside(directory, what, kept_in=directory, ignored=names)


def _has_unpushed_files(directory: Path) -> bool:
    # Commodore begins an empty catalog with an empty commit: that is nothing to keep.
    commits = unpushed(directory, "HEAD", "--branches")
    return bool(commits) and bool(git(directory, "ls-tree", "HEAD"))


def _take_tip(config: Config, what: str, now: Status, tip: Found) -> None:
    directory, journal = config.paths.catalog, Journal.of(config.paths)
    if tip.commit != now.commit:
        _protect_ignored(config, what, tip.commit, tip.branch)
    if tip.branch != now.branch:
        keep_branch(directory, tip.branch, tip.commit)
    with journaled(journal, directory, before=now.commit, after=tip.commit):
        switch_worktree(directory, tip.commit, tip.branch, force=True)


def _start_empty(directory: Path, branch: str) -> None:
    """Reset a clone to that of an empty repository: a new branch, without the old files."""
    nothing = git(directory, "hash-object", "-t", "tree", "-w", "--stdin")
    # Commodore begins an empty catalog with an empty commit: that is nothing to keep.
    if commit_of(directory, HEADS + branch) and git(directory, "ls-tree", HEADS + branch):
        keep_branch(directory, branch, "")
    git(directory, "read-tree", "--reset", "-u", nothing)
    git(directory, "symbolic-ref", "HEAD", HEADS + branch)
    git(directory, "update-ref", "-d", HEADS + branch)


def _unborn_branch(url: str) -> str:
    """The branch that an empty repository's HEAD names."""
    import tempfile  # for empty remotes only

    with tempfile.TemporaryDirectory() as scratch:
        git(Path(scratch), "clone", "--quiet", "--no-checkout", "--", git_urls.normalise(url), "it")
        return git(Path(scratch) / "it", "symbolic-ref", "HEAD").removeprefix("refs/heads/")
