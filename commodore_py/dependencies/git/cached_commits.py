"""Commits that are here already: in a clone, or in the user's cache; no remote is queried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import BRANCHES, read_refs

from .clones import make_clone
from .revisions import is_complete

if TYPE_CHECKING:
    from pathlib import Path

    from .object_cache import ObjectCache


def has_commit(bare: Path, url: str, commit: str, cache: ObjectCache | None) -> bool:
    """Whether a clone has a commit with all that belongs to it; a missing clone is made."""
    if not (bare / "HEAD").is_file():
        if cache is None or not cache.has(url):
            return False
        make_clone(bare, url, cache)
    if not is_complete(bare, commit):
        return False
    if not read_refs(bare, BRANCHES).objects.keys() - {"HEAD"}:
        # A clone without branches counts as incomplete, and its remote would be queried.
        git(bare, "update-ref", f"{BRANCHES}{name_of(commit)}", commit)
    return True


def name_of(commit: str) -> str:
    """The branch of a commit that was locked, where no branch of the remote is known."""
    return f"locked-{commit[:12]}"
