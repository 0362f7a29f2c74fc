"""Questions about repositories elsewhere."""

from __future__ import annotations

import functools

from commodore_py.adapters.git.refs import BRANCHES, TAGS, Refs, list_remote
from commodore_py.cache.digests import UNKNOWN
from commodore_py.errors import CommodoreError

from .base import Kind


def commit_of(about: str) -> str:
    """The commit of a branch or tag; unknown if there is none, or if the remote does not answer."""
    url, _, ref = about.rpartition(" ")
    refs = refs_at(url)
    if refs is None:
        return UNKNOWN
    ref = ref or refs.default_branch
    return refs.commits.get(f"{TAGS}{ref}") or refs.commits.get(f"{BRANCHES}{ref}") or UNKNOWN


@functools.lru_cache(maxsize=256)  # a remote is asked once in a run
def refs_at(url: str) -> Refs | None:
    """The branches and tags of a remote; None if it cannot be reached."""
    try:
        return list_remote(url)
    except CommodoreError:  # the program that fetches will say so
        return None


def _branch_or_tag(about: str) -> str:
    url, _, ref = about.rpartition(" ")
    return f"{ref or 'the default branch'} of {url}"


REMOTE = Kind(
    "remote",
    "{} has another commit",
    lambda about, view: UNKNOWN if view.offline else commit_of(about),
    _branch_or_tag,
)
"""The URL of a repository, a space, and the name of a branch or tag; by default, of the default
branch."""
