"""Branches and tags of remotes, each listed once."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import BRANCHES, TAGS, list_remote
from commodore_py.adapters.masking import without_secrets

from .revisions import is_commit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.adapters.git.refs import Refs

log = logging.getLogger(__name__)

# By address; None unless several clusters are compiled.
_listed: dict[str, Refs] | None = None


@contextmanager
def listed_once() -> Iterator[None]:
    """List each remote once: all clusters that are compiled see it in the same state."""
    global _listed  # noqa: PLW0603 - a command compiles several clusters, or it does not
    before, _listed = _listed, {}
    try:
        yield
    finally:
        _listed = before


class RemoteClient:
    """Lists the refs of remotes.

    With `current`, listings for earlier clusters do not count: a catalog may have been pushed to.
    """

    def __init__(self, *, current: bool = False) -> None:
        self._known = None if current else _listed

    def list_refs(self, url: str) -> Refs:
        """The branches and tags of a remote."""
        address = git_urls.normalise(url)
        if self._known is not None and address in self._known:
            return self._known[address]
        log.info("listing the refs of %s", without_secrets(address))
        refs = list_remote(address)
        if self._known is not None:
            self._known[address] = refs
        return refs


def differs(listed: Refs, present: Refs, versions: Collection[str] | None = None) -> bool:
    """Whether a clone must be fetched for some versions, or for any (pure)."""
    names = [name for version in versions or () for name in names_of(listed, version)]
    plain = all(names_of(listed, version) for version in versions or ())
    if versions is None or not plain:
        # What else a version may mean depends on everything.
        names = [*listed.commits, *present.commits]
    return any(listed.commits.get(name) != present.commits.get(name) for name in names)


def names_of(listed: Refs, version: str) -> tuple[str, ...]:
    """The refs that a version may name; none if it is an expression (pure)."""
    name = listed.default_branch if version == "HEAD" else version
    names = (BRANCHES + name, TAGS + name)
    return names if not is_commit(version) and any(n in listed.commits for n in names) else ()
