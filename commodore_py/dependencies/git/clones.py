"""Clones of the working directory: made, by way of a mirror if they are bare, and fetched."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, make_folder, remove, remove_empty, rename
from commodore_py.adapters.git.program import fetch, over_network
from commodore_py.adapters.git.refs import is_complete, note_default_branch, refs_of
from commodore_py.adapters.git.repository import (
    configure_remote,
    remote_settings,
    wanted_remote,
    write_remote,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.bare_repositories import make_bare, put_in_place
from commodore_py.errors import CommodoreError

from .remotes import has_versions
from .revisions import moved_tags

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs

    from .mirrors import Mirrors

log = logging.getLogger(__name__)

_AFTER_ANY_FAILURE = (
    "fatal: Could not read from remote repository.",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
)


def update_clone(
    clone: Path,
    url: str,
    versions: Collection[str],
    listed: Refs | None,
    *,
    what: str = "",
    configured: bool = False,
    follow_head: bool = False,
) -> Refs:
    """Fetch a clone unless it has some versions as its remote has them; returns the refs.

    `listed` is what the remote has, unless it was not asked. `what` is the name of the clone in
    messages. A clone that is `configured` has the address of its remote. With `follow_head`, it
    notes the default branch, for runs that do not ask the remote.
    """
    address = git_urls.normalise(url)
    old = address if configured else remote_settings(clone).get("url", "")
    moved = bool(old) and git_urls.dependency_key(old) != git_urls.dependency_key(url)
    present = after = refs_of(clone)
    if not moved and not configured:
        configure_remote(clone, url)
    if moved or not has_versions(clone, versions, listed, present):
        log.info("fetching %s", without_secrets(address))
        fetch(clone, address, replace_tags=moved)
        after = listed or refs_of(clone)
        if not moved:
            for tag in moved_tags(present, after):
                log.warning("a tag was moved in %s: %s", without_secrets(address), tag)
    if moved:  # only now, so that a killed run does not take the former refs for those of it
        configure_remote(clone, url)
        shown = (without_secrets(old), without_secrets(address))
        log.warning("%s: its repository was %s and is %s now", what or clone.name, *shown)
    if follow_head and listed is not None and listed.default_branch != present.default_branch:
        note_default_branch(clone, listed.default_branch)
    return listed or after


def has_commit(bare: Path, url: str, commit: str, mirrors: Mirrors | None) -> bool:
    """Return whether a clone has a commit, or a mirror to make it from; ask no remote."""
    if (bare / "HEAD").is_file():
        return is_complete(bare, commit)
    if mirrors is None or not mirrors.has(url) or not is_complete(mirrors.place(url), commit):
        return False
    make_clone(bare, url, {commit}, None, mirrors)
    return True


def fetch_commit(clone: Path, commit: str) -> bool:
    """Fetch a commit by its id, which many servers send; return whether this one does.

    No branch or tag of the remote need have it.
    """
    try:
        over_network(clone, "fetch", "--quiet", "--no-tags", "origin", commit)
    except ProgramFailed:
        return False
    return True


def make_clone(
    bare: Path,
    url: str,
    versions: Collection[str],
    listed: Refs | None,
    mirrors: Mirrors | None,
) -> None:
    """Make a bare clone with all that its remote has, or had when its mirror was fetched."""
    log.info("cloning %s", without_secrets(git_urls.normalise(url)))
    with _made_aside(bare, url) as aside:
        if mirrors is None or not mirrors.copy(url, aside, versions, listed):
            make_bare(aside, git_urls.normalise(url))


def init_clone(bare: Path, url: str) -> None:
    """Make an empty bare clone of a remote."""
    with _made_aside(bare, url) as aside:
        make_bare(aside, "")


@contextmanager
def _made_aside(bare: Path, url: str) -> Iterator[Path]:
    """A path to make a bare clone at; it is configured and moved to its place when it is made."""
    aside = aside_of(bare)
    make_folder(aside.parent)
    try:
        yield aside
        write_remote(aside, url)
        if (bare / "objects").exists():
            raise CommodoreError(
                "the clone is damaged: it has no HEAD; nothing was touched",
                where=str(bare),
                hint="move it away with its checkouts; they are fetched again",
            )
        put_in_place(aside, bare)
    finally:
        remove(aside)


def clone_aside(what: str, directory: Path, url: str) -> tuple[Path, Refs]:
    """Make an ordinary clone beside its place, so that a killed run leaves no part of it there."""
    shown = without_secrets(git_urls.normalise(url))
    log.info("cloning %s from %s", what, shown)
    aside = aside_of(directory)
    make_folder(aside)
    # Not `init` and `fetch`: a clone also learns the name of an empty remote's branch.
    pushed_to = wanted_remote(url).get("pushurl")
    pushes = (f"--config=remote.origin.pushurl={pushed_to}",) if pushed_to else ()
    how = ("--quiet", "--no-checkout", "--origin=origin", *pushes, "--", git_urls.normalise(url))
    try:
        over_network(aside, "clone", *how, ".")
    except ProgramFailed as error:
        remove(aside)
        raise cannot_fetch(what, url, error) from error
    return aside, refs_of(aside)


def copy_aside(
    directory: Path, url: str, listed: Refs, mirrors: Mirrors
) -> tuple[Path, Refs] | None:
    """Make an ordinary clone from the mirror, as `clone_aside` does from the remote.

    None where there can be no mirror, or the remote has no branch to check out.
    """
    if not listed.default_branch:
        return None
    aside = aside_of(directory)
    make_folder(aside)
    repository = aside / ".git"
    if not mirrors.copy(url, repository, (listed.default_branch,), listed):
        remove(aside)
        return None
    write_remote(repository, url, bare=False)
    note_default_branch(aside, listed.default_branch)
    return aside, listed


def swap_in(aside: Path, directory: Path) -> None:
    """Put what was made aside in its place, where at most an empty directory is."""
    remove_empty(directory)
    rename(aside, directory)


def cannot_fetch(what: str, url: str, error: ProgramFailed) -> CommodoreError:
    """Explain why the clone of a configuration or a catalog cannot be fetched."""
    return CommodoreError(
        f"cannot fetch the {what}: {reason(error)}",
        where=without_secrets(git_urls.normalise(url)),
        hint="check the repository's URL in the cluster's and the tenant's facts,"
        " and that you may read it",
    )


def reason(error: ProgramFailed) -> str:
    """Output of Git, without the sentences that follow every such failure."""
    lines = error.stderr.strip().splitlines()
    kept = [line for line in lines if line.strip() and line not in _AFTER_ANY_FAILURE]
    return "\n".join(kept) or error.stderr.strip() or str(error)
