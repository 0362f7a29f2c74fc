"""Checkouts of another working directory: those that are up to date are read there, others copied.

What is copied is no longer read where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files import link
from commodore_py.adapters.files.protected import replaced
from commodore_py.adapters.git.copies import copy_entry
from commodore_py.adapters.git.worktrees import relocate

from .groups import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.config import WorkPaths

    from .groups import Group
    from .queries import ResponsesByClone


def borrow(groups: Iterable[Group], lender: WorkPaths, paths: WorkPaths) -> None:
    """Link the checkouts of these repositories; configurations are linked as classes are."""
    for group in groups:
        if group.configuration is None:
            for spec in group.specs:
                link(place_of(spec, paths), place_of(spec, lender))


def take_over(
    groups: Iterable[Group], responses: ResponsesByClone, lender: WorkPaths, paths: WorkPaths
) -> tuple[tuple[Group, ...], ResponsesByClone]:
    """Copy the clones and checkouts of these repositories, which will change."""
    ours: dict[Group, Group] = {}
    for group in groups:
        clone = paths.root / group.clone.relative_to(lender.root)
        ours[group] = group._replace(clone=clone)
        copy_of_lent(group.clone, lender, paths)
        if group.configuration is None:
            for spec in group.specs:
                copy_of_lent(place_of(spec, lender), lender, paths)
    return tuple(ours.values()), {ours[one].clone: responses[one.clone] for one in ours}


def copy_of_lent(place: Path, lender: WorkPaths, paths: WorkPaths) -> Path:
    """The copy of a clone or a checkout, made unless it is there."""
    copy = paths.root / place.relative_to(lender.root)
    if copy.is_symlink():
        copy.unlink()
    if not copy.exists() and (place.exists() or place.is_symlink()):
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy_entry(str(place), str(copy), (str(lender.root), str(paths.root)))
        relocate(
            paths.root, (copy / ".git", *copy.glob("worktrees/*/gitdir")), lender.root.resolve()
        )
        if (place / ".git").exists():
            replaced(place)
    return copy
