"""A change of a repository: what is shown of it, and whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py import catalog

if TYPE_CHECKING:
    from commodore_py.catalog import DiffLine
    from commodore_py.config import Author
    from commodore_py.model import Tree


def diff(before: Tree, after: Tree) -> tuple[DiffLine, ...]:
    """Files that came and went, and the lines of those that changed."""
    return catalog.diff_text(catalog.change_between(before, after))


def identity_of(author: Author) -> dict[str, str]:
    """An author and committer as Git's variables."""
    return {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", author.name), ("EMAIL", author.email))
    }
