"""Bare clones: one per repository, brought up to date, with worktrees."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.blueprint import Blueprint
from commodore_py.adapters.git.layout import by_program
from commodore_py.adapters.git.local_remote import copy_all
from commodore_py.adapters.git.program import fetch, git
from commodore_py.adapters.git.refs import BRANCHES, FALLBACK_BRANCH, TAGS, Refs, read_refs, refs_of
from commodore_py.adapters.git.repository import add_remote, configure_remote, settings_text
from commodore_py.adapters.git.worktrees import heads_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .object_cache_entries import remove_cache_refs
from .remotes import is_plain, lacks, refs_from
from .revisions import is_commit, is_complete, moved_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from commodore_py.adapters.git.refs import RefValues
    from commodore_py.model.dependency import DependencySpec

    from .object_cache import ObjectCache
    from .remotes import RemoteClient, RemoteRefs

log = logging.getLogger(__name__)

_OF_REMOTE = (BRANCHES, TAGS)


def query(
    bare: Path,
    url: str,
    specs: Sequence[DependencySpec],
    client: RemoteClient,
    object_cache: Callable[[], ObjectCache | None],
) -> RemoteRefs | None:
    """List what a clone's remote has, unless that cannot matter."""
    versions = {spec.version or "HEAD" for spec in specs}
    if not (bare / "HEAD").is_file():  # all of it will be fetched, but for the remote's HEAD
        cache = object_cache()
        cached = cache is not None and cache.has(url)  # maybe all of it
        matters = cached or any(version.startswith("HEAD") for version in versions)
    elif not all(is_commit(version) for version in versions):
        matters = True
    else:
        have = read_refs(bare, BRANCHES, TAGS)
        matters = not have.objects or not _are_present(bare, versions)
    try:
        return client.list_refs(url, bare) if matters else None
    except ProgramFailed as error:
        raise _cannot_fetch(url, specs, error) from error


def update_clone(
    bare: Path,
    url: str,
    specs: Sequence[DependencySpec],
    response: RemoteRefs | None,
    *,
    object_cache: ObjectCache | None = None,
    client: RemoteClient | None = None,
    blueprint: Blueprint | None = None,
) -> Refs:
    """Open or make a bare clone and bring it up to date; returns its branches and tags.

    Without an response of the remote, a clone that is there has all that is needed.
    """
    fresh, from_cache = not (bare / "HEAD").is_file(), False
    if fresh:
        if client is not None and not (object_cache is not None and object_cache.has(url)):
            copied = _copied(bare, url, specs, client, blueprint=blueprint)
            if copied is not None:
                if object_cache is not None:
                    object_cache.update(url, bare, fresh=True, changed=True)
                return copied
        from_cache = make_clone(bare, url, object_cache, blueprint, listed=response)
        known = _refs_if_complete(bare, response) if from_cache else None
    else:
        configure_remote(bare, url)
        known = _up_to_date(bare, specs, response)
    if known is not None:
        return known
    before = Refs({}, "") if fresh else _refs(bare)
    shown = without_secrets(git_urls.normalise(url))
    log.info("fetching %s", shown)
    try:
        # A loan comes with refs; what is missing then is not much.
        fetch(bare, fresh=fresh and not from_cache)
    except ProgramFailed as error:
        raise _cannot_fetch(url, specs, error) from error
    remove_cache_refs(bare)
    _pack_refs(bare)
    after = _refs(bare)
    if response is not None and response.default_branch:
        after = after._replace(default_branch=response.default_branch)
    for tag in moved_tags(before, after):
        log.warning("a tag was moved in %s: %s", shown, tag)
    if object_cache is not None:
        object_cache.update(url, bare, fresh=fresh, changed=after != before)
    return after


def belongs_to(git_folder: Path | None, bare: Path) -> bool:
    """Whether this is what a clone keeps of a worktree."""
    if git_folder is None:
        return False
    clone = git_folder.parent.parent
    return clone == bare or clone == bare.resolve()


def _up_to_date(
    bare: Path, specs: Sequence[DependencySpec], response: RemoteRefs | None
) -> Refs | None:
    """The remote's refs, if a clone has all of them that matter."""
    versions = {spec.version or "HEAD" for spec in specs}
    if response is None:  # commits never change
        return Refs({}, "") if _are_present(bare, versions) else None
    have = read_refs(bare, BRANCHES, TAGS)
    commits = {version for version in versions if is_commit(version)}
    if lacks(response, have, versions - commits) or not _are_present(bare, commits):
        return None
    refs = refs_from(response, have, versions - commits)
    if refs is not None:
        return refs
    _pack_refs(bare)
    return refs_of(bare)


def _refs_if_complete(bare: Path, response: RemoteRefs | None) -> Refs | None:
    """The refs of a new clone, if the object cache had all that the remote has."""
    if response is None:
        return None
    have = read_refs(bare, BRANCHES, TAGS)
    if lacks(response, have, None):
        return None
    refs = _refs(bare, have)
    return refs._replace(default_branch=response.default_branch or refs.default_branch)


def _refs(bare: Path, have: RefValues | None = None) -> Refs:
    """All remote branches and tags; a tag may also name a file or a folder."""
    have = have or read_refs(bare, BRANCHES, TAGS)
    if have.objects.keys() - have.peeled.keys() - {"HEAD"}:
        return refs_of(bare)
    commits = {name: value for name, value in have.peeled.items() if name.startswith(_OF_REMOTE)}
    head = have.symbolic.get(f"{BRANCHES}HEAD", "").removeprefix(BRANCHES)
    return Refs(commits, head if BRANCHES + head in commits else FALLBACK_BRANCH)


def _pack_refs(bare: Path) -> None:
    """Put all refs into one file, quick to read, with what tags lead to."""
    git(bare, "pack-refs", "--all")


def _cannot_fetch(
    url: str, specs: Sequence[DependencySpec], error: ProgramFailed
) -> CommodoreError:
    return CommodoreError(
        f"cannot fetch {', '.join(str(spec) for spec in specs)}: {error.stderr.strip()}",
        where=without_secrets(git_urls.normalise(url)),
        hint="check the url in the hierarchy, and that you may read the repository",
    )


def _copied(
    bare: Path,
    url: str,
    specs: Sequence[DependencySpec],
    client: RemoteClient,
    *,
    blueprint: Blueprint | None,
) -> Refs | None:
    """Clone a repository on this machine by its files; None where a fetch is needed."""
    if by_program():
        return None
    aside = aside_of(bare)
    _begin(aside, url, blueprint)
    settings = settings_text(aside)
    place, response = client.local_folder(url, settings), client.local_refs(url, settings)
    # A fetch brings only what a name leads to: no other commit must be found.
    plain = response is not None and is_plain(response, {spec.version or "HEAD" for spec in specs})
    if (
        place is None
        or response is None
        or not plain
        or not copy_all(place, response.objects, response.peeled, aside)
    ):
        remove(aside)
        return None
    log.info("copying %s", git_urls.normalise(url))
    refs = _refs(aside)
    _put_in_place(aside, bare)
    return refs._replace(default_branch=response.default_branch or refs.default_branch)


def make_clone(
    bare: Path,
    url: str,
    object_cache: ObjectCache | None,
    blueprint: Blueprint | None = None,
    *,
    listed: RemoteRefs | None = None,
) -> bool:
    """Make a clone that has only what the object cache has; returns whether that is anything.

    The fetch that follows brings the rest, unless that is all that the remote has `listed`.
    """
    aside = aside_of(bare)
    _begin(aside, url, blueprint)
    from_cache = object_cache is not None and object_cache.populate(url, aside, listed)
    _put_in_place(aside, bare)
    return from_cache


def _begin(aside: Path, url: str, blueprint: Blueprint | None) -> None:
    aside.mkdir(parents=True)
    (blueprint or Blueprint()).make(aside)
    add_remote(aside, url)


def _put_in_place(aside: Path, bare: Path) -> None:
    if bare.exists():
        remove(bare)  # without a HEAD it is not a repository, and has no checkouts
    aside.rename(bare)


def _are_present(bare: Path, versions: Collection[str]) -> bool:
    """Whether these are nothing but commits, and in the clone."""
    if not all(is_commit(version) for version in versions):
        return False
    checked_out = {commit for commit, _ in heads_of(bare).values()} if versions else set()
    return all(one in checked_out or is_complete(bare, one) for one in versions)
