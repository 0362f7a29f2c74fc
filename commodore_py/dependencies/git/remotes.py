"""Branches and tags of remotes, each listed once."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git.refs import (
    BRANCHES,
    TAGS,
    Refs,
    is_complete,
    list_remote,
    refs_of,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.reading import write_all
from commodore_py.cache.trust import is_of_this_user

from .revisions import is_commit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class _Listings:
    """Refs by address, in memory and in a folder that all processes of a run share."""

    folder: Path | None
    listed: dict[str, Refs] = field(default_factory=dict)


def _shared(folder: Path, address: str) -> Refs:
    """The refs of a remote from a file, locked until the process that opened it first has them."""
    name = hashlib.sha256(os.fsencode(address)).hexdigest()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        log.info("what is listed is not shared: %s", error)
        return _list(address)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        status = os.fstat(file)
        stored = os.pread(file, status.st_size, 0) if is_of_this_user(status) else b""
        listed = _parsed(stored) or _list(address)
        with suppress(OSError):  # the next process lists it, too
            if not stored:
                write_all(file, json.dumps(listed).encode())
        return listed
    finally:
        os.close(file)


# None unless several clusters are compiled.
_listings: _Listings | None = None


@contextmanager
def listed_once(folder: Path | None = None) -> Iterator[None]:
    """List each remote once: all clusters that are compiled see it in the same state.

    Processes that name the same folder share what they list.
    """
    if folder is not None:
        _remove_old(folder.parent)
    global _listings  # noqa: PLW0603 - a command compiles several clusters, or it does not
    before, _listings = _listings, _Listings(folder)
    try:
        yield
    finally:
        _listings = before


def _remove_old(runs: Path) -> None:
    """Remove the folders of runs that ended on another machine, or were killed."""
    for run in runs.iterdir() if runs.is_dir() else ():
        with suppress(OSError):  # another process removes it as well
            if time.time() - run.lstat().st_mtime > _DAY:
                remove(run)


def is_shared() -> bool:
    """Return whether several clusters use what is listed."""
    return _listings is not None


def list_refs(url: str, *, current: bool = False) -> Refs:
    """The branches and tags of a remote.

    If `current`, listings for earlier clusters do not count: a catalog may have been pushed to.
    """
    address = git_urls.normalise(url)
    listings = _listings  # which a run that ends takes away from threads that are left
    if listings is None or current:
        return _list(address)
    if address not in listings.listed:
        folder = listings.folder
        listings.listed[address] = _shared(folder, address) if folder else _list(address)
    return listings.listed[address]


def _list(address: str) -> Refs:
    log.info("listing the refs of %s", without_secrets(address))
    return list_remote(address)


def _parsed(stored: bytes) -> Refs | None:
    try:
        commits, default_branch = json.loads(stored)
        return Refs(dict(commits), str(default_branch))
    except ValueError:  # there is none, or a process was killed while it wrote it
        return None


def has_versions(
    clone: Path, versions: Collection[str], listed: Refs | None, present: Refs | None = None
) -> bool:
    """Return whether a clone has all versions as the remote has them."""
    commits = {version for version in versions if is_commit(version)}
    names = set(versions) - commits
    if names and (listed is None or _differs(listed, present or refs_of(clone), names)):
        return False
    return all(is_complete(clone, commit) for commit in commits)


def _differs(listed: Refs, present: Refs, versions: Collection[str]) -> bool:
    """Return whether a clone must be fetched for some versions (pure)."""
    names = [name for version in versions for name in names_of(listed, version)]
    if not all(names_of(listed, version) for version in versions):
        # What else a version may mean depends on everything.
        names = [*listed.commits, *present.commits]
    return any(listed.commits.get(name) != present.commits.get(name) for name in names)


def names_of(listed: Refs, version: str) -> tuple[str, ...]:
    """The refs that a version may name; none if it is an expression (pure)."""
    name = listed.default_branch if version == "HEAD" else version
    names = (BRANCHES + name, TAGS + name)
    return names if not is_commit(version) and any(n in listed.commits for n in names) else ()
