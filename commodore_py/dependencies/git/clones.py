"""Bare clones of the working directory: made by way of a mirror, and fetched."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.program import fetch, git
from commodore_py.adapters.git.refs import is_complete, refs_of
from commodore_py.adapters.git.repository import configure_remote, write_remote
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .remotes import differs
from .revisions import is_commit, moved_tags

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs

    from .mirrors import Mirrors

log = logging.getLogger(__name__)


def update_clone(
    bare: Path,
    url: str,
    versions: Collection[str],
    listed: Refs | None,
    mirrors: Mirrors | None,
    *,
    configured: bool = False,
) -> Refs:
    """Make a clone, or fetch it if some versions are missing; returns its branches and tags.

    `listed` is what the remote has, unless it was not asked. A clone that is `configured` has the
    address of its remote.
    """
    if not (bare / "HEAD").is_file():
        make_clone(bare, url, versions, listed, mirrors)
        return listed or refs_of(bare)
    if not configured:
        configure_remote(bare, url)
    present = refs_of(bare)
    if has_versions(bare, versions, listed, present):
        return listed or present
    log.info("fetching %s", without_secrets(git_urls.normalise(url)))
    fetch(bare)
    report_moved_tags(url, present, after := listed or refs_of(bare))
    return after


def has_versions(
    bare: Path, versions: Collection[str], listed: Refs | None, present: Refs | None = None
) -> bool:
    """Whether a clone has all versions as the remote has them."""
    commits = {version for version in versions if is_commit(version)}
    names = set(versions) - commits
    if names and (listed is None or differs(listed, present or refs_of(bare), names)):
        return False
    return all(is_complete(bare, commit) for commit in commits)


def make_clone(
    bare: Path,
    url: str,
    versions: Collection[str],
    listed: Refs | None,
    mirrors: Mirrors | None,
) -> None:
    """Make a clone with all that its remote has, or had when its mirror was fetched."""
    aside = aside_of(bare)
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        log.info("cloning %s", without_secrets(git_urls.normalise(url)))
        if mirrors is None or not _copied(mirrors, url, aside, versions, listed):
            _clone_directly(aside, url)
        write_remote(aside, url)
        _put_in_place(aside, bare)
    finally:
        remove(aside)


def _put_in_place(aside: Path, bare: Path) -> None:
    if not bare.is_dir():
        aside.rename(bare)
        return
    if (bare / "objects").exists():
        raise CommodoreError(
            "the clone is damaged: it has no HEAD; nothing was touched",
            where=str(bare),
            hint="if it is damaged, move it away with its checkouts; they are fetched again",
        )
    # Clones of remotes whose paths begin with the path of this one are below it.
    for entry in sorted(aside.iterdir(), key=lambda entry: entry.name == "HEAD"):
        entry.rename(bare / entry.name)


def _copied(
    mirrors: Mirrors, url: str, aside: Path, versions: Collection[str], listed: Refs | None
) -> bool:
    had = mirrors.has(url)
    try:
        return mirrors.copy(url, aside, partial(_is_current, versions, listed))
    except ProgramFailed as error:
        if not had:
            raise
        remove(aside)
        _clone_directly(aside, url)  # if this fails, too, the mirror is not to blame
        drop_damaged(mirrors, url, error)
        return True


def _is_current(versions: Collection[str], listed: Refs | None, mirror: Path) -> bool:
    return has_versions(mirror, versions, listed)


def drop_damaged(mirrors: Mirrors, url: str, error: ProgramFailed) -> None:
    """Remove a mirror that Git cannot use."""
    mirror = mirrors.place(url)
    reason = error.stderr.strip() or str(error)
    log.warning("the mirror in %s is damaged, and removed: %s", mirror, reason)
    mirrors.drop(mirror)


def _clone_directly(aside: Path, url: str) -> None:
    git(aside.parent, "init", "--quiet", "--bare", "--initial-branch=master", aside.name)
    fetch(aside, git_urls.normalise(url))


def report_moved_tags(url: str, before: Refs, after: Refs) -> None:
    """Warn of tags that a fetch found elsewhere than they were."""
    for tag in moved_tags(before, after):
        shown = without_secrets(git_urls.normalise(url))
        log.warning("a tag was moved in %s: %s", shown, tag)


def init_clone(bare: Path, url: str) -> None:
    """Make an empty clone of a remote."""
    aside = aside_of(bare)
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        git(aside.parent, "init", "--quiet", "--bare", "--initial-branch=master", aside.name)
        write_remote(aside, url)
        _put_in_place(aside, bare)
    finally:
        remove(aside)


def has_commit(bare: Path, url: str, commit: str, mirrors: Mirrors | None) -> bool:
    """Whether a clone has a commit, or is made from a mirror that has it; no remote is asked."""
    if (bare / "HEAD").is_file():
        return is_complete(bare, commit)
    if mirrors is None or not mirrors.has(url) or not is_complete(mirrors.place(url), commit):
        return False
    make_clone(bare, url, {commit}, None, mirrors)
    return True
