"""Commits that are locked: whether they are here, and how to get those that a remote has lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import RevisionNotFound, is_complete, refs_of
from commodore_py.adapters.git.repository import head_of
from commodore_py.adapters.git.worktrees import commit_at
from commodore_py.dependencies.git.clones import clone_aside, fetch_commit, has_commit, swap_in
from commodore_py.dependencies.git.groups import bare_clone_of, place_of
from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.git.revisions import find
from commodore_py.dependencies.protection.checkout_record import CheckedOut, CheckoutRecord
from commodore_py.model.dependency import CONFIGURATION

from .facts import tenant_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.dependency import DependencySpec

    from .document import Lock
    from .document import Path as LockPath


def repository_of(lock: Lock, path: LockPath, paths: WorkPaths) -> tuple[str, Path]:
    """The URL of a locked repository, and the one in a working directory that has its commit."""
    url = lock.blocks[path].text("url")
    if path[0] == "config":
        name = "global" if path[1] == "global" else tenant_of(lock)
        return url, paths.classes / name / ".git"
    if path[0] == "base":
        url = path[1].rpartition("@")[0]
    return url, paths.bare_clones / git_urls.dependency_key(url)


def tree_in(folder: Path, commit: str) -> str:
    """The tree of a commit."""
    return git(folder, "rev-parse", "--verify", f"{commit}^{{tree}}")


def is_published(folder: Path, commit: str) -> bool:
    """Return whether a branch or tag of the remote has a commit, as far as it was fetched."""
    refs = ("refs/remotes/origin", "refs/tags")
    return bool(git(folder, "for-each-ref", "--count=1", f"--contains={commit}", *refs))


def commit_here(config: Config, spec: DependencySpec, revision: str) -> str:
    """The commit of a revision in a checkout, or of the checkout as it is; empty without one."""
    place = place_of(spec, config.paths)
    if not place.is_dir():
        return ""
    if not revision:
        return head_of(place)[0] or ""
    try:
        return find(place / ".git", refs_of(place / ".git"), revision, prefer="tag").commit
    except RevisionNotFound:
        return ""


def is_here(config: Config, spec: DependencySpec, commit: str) -> bool:
    """Return whether a commit is complete in the working directory, or in the user's cache."""
    if spec.kind in CONFIGURATION:
        place = place_of(spec, config.paths)
        return (place / ".git").exists() and is_complete(place, commit)
    bare = bare_clone_of(spec, config.paths)
    return has_commit(bare, spec.url, commit, Mirrors.of(config))


def fetch_by_id(config: Config, spec: DependencySpec, commit: str) -> bool:
    """Fetch a commit that no branch or tag of its remote has; whether the server sends it."""
    if spec.kind not in CONFIGURATION:
        bare = bare_clone_of(spec, config.paths)
        return (bare / "HEAD").is_file() and _fetch_missing(bare, commit)
    place = place_of(spec, config.paths)
    if (place / ".git").exists():
        return _fetch_missing(place, commit)
    aside, _ = clone_aside(str(spec), place, spec.url)
    fetched = _fetch_missing(aside, commit) and succeeds(
        aside, "checkout", "--quiet", "--detach", commit
    )
    if fetched:
        swap_in(aside, place)
        record = CheckoutRecord(config.paths)
        record.note(place, CheckedOut(*commit_at(place), git_urls.normalise(spec.url)))
        record.save()
    else:
        remove(aside)
    return fetched


def _fetch_missing(clone: Path, commit: str) -> bool:
    """Return whether a commit was missing in a clone, and was fetched."""
    return not is_complete(clone, commit) and fetch_commit(clone, commit)
