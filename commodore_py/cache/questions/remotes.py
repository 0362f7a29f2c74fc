"""Questions about repositories elsewhere."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from commodore_py.adapters.git.refs import BRANCHES, TAGS, Refs, list_remote
from commodore_py.cache.digests import UNKNOWN
from commodore_py.errors import CommodoreError

from .base import Question

if TYPE_CHECKING:
    from commodore_py.cache.roots import Roots

    from .base import View


class RemoteRef(Question):
    """The commit of a branch or tag: the URL of a repository, a space, and the name."""

    kind = "remote"

    @classmethod
    def at(cls, url: str, ref: str) -> RemoteRef:
        """The question about a branch or tag; without a name, about the default branch."""
        return cls(f"{url} {ref}")

    def ask(self, view: View) -> str:
        """The commit."""
        return self.commit(offline=view.offline) or UNKNOWN

    def commit(self, *, offline: bool) -> str | None:
        """The commit; None if there is none, or if the remote must not or cannot be asked."""
        url, _, ref = self.about.rpartition(" ")
        if offline:
            return None
        refs = refs_at(url)
        if refs is None:
            return None
        ref = ref or refs.default_branch
        return refs.commits.get(f"{TAGS}{ref}") or refs.commits.get(f"{BRANCHES}{ref}")

    def describe(self, _: Roots) -> str:
        """The branch or tag that has moved."""
        url, _space, ref = self.about.rpartition(" ")
        return f"{ref or 'the default branch'} of {url} has another commit"


@functools.lru_cache(maxsize=256)  # a remote is asked once in a run
def refs_at(url: str) -> Refs | None:
    """The branches and tags of a remote; None if it cannot be reached."""
    try:
        return list_remote(url)
    except CommodoreError:  # the program that fetches will say so
        return None
