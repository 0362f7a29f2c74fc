"""Repositories on this machine that components download: which of them they may read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files.reach import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model.dependency import Dependency


class LocalSources:
    """The local repositories that components may name: those beside the ones of dependencies.

    None in the working directory or in a checkout: others write files there by which parts of
    another repository become its own.
    """

    def __init__(self, root: Path, dependencies: Iterable[Dependency]) -> None:
        dependencies = tuple(dependencies)
        self._root, self._reach = root, Reach((root,), work=(root,))
        worktrees = (dependency.worktree for dependency in dependencies)
        self._written = {os.path.realpath(folder) for folder in (root, *worktrees)}
        self._beside = _folders_above(dependency.url for dependency in dependencies)

    def absolute(self, url: str) -> str:
        """The URL, or the full path that it names as seen from the working directory."""
        return git_urls.absolute(url, self._root)

    def is_beside(self, url: str, *, beside: str = "") -> bool:
        """Return whether a repository is on a server, beside one of a dependency, or a given one.

        One in a place that is never read is an error.
        """
        allowed = {*self._beside, *_folders_above([beside])}
        places = git_urls.local_places(self.absolute(url))
        for place in places:
            self._reach.holds(place)  # raises if it is never read
        real_places = map(os.path.realpath, places)
        return all(
            _is_below(real, allowed) and not _is_below(real, self._written) for real in real_places
        )


def _folders_above(urls: Iterable[str]) -> set[str]:
    places = (place for url in urls for place in git_urls.local_places(url))
    above = {
        os.path.realpath(f"{place.rstrip('/')}/..") for place in places if place.startswith("/")
    }
    return above - {"/"}


def _is_below(place: str, folders: Iterable[str]) -> bool:
    return any(os.path.commonpath((place, folder)) == folder for folder in folders)
