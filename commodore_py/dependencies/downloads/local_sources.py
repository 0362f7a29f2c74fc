"""Repositories on this machine that components download: which of them they may read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError
from commodore_py.model.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.model.dependency import Dependency

# What Git tries for a path, and what in it leads to the parts of a repository.
_SUFFIXES = ("", ".git", "/.git", ".git/.git")
_FOLDERS = ("objects", "refs", "reftable", "worktrees")
# Files by which parts of another repository become its own, and where their paths start.
_NAMING = (("commondir", "."), ("objects/info/alternates", "objects"), ("info/alternates", "."))
_LABEL = b"gitdir:"
_MOST_PLACES = 1000


class LocalSources:
    """The local repositories that components may name: those in reach, and those beside others."""

    def __init__(self, root: Path, dependencies: Iterable[Dependency]) -> None:
        """Allow what is beside or below the repositories that the dependencies came from."""
        dependencies = tuple(dependencies)
        self._root = root
        self._reach = Reach(
            (root, *(dependency.worktree for dependency in dependencies)), work=(root,), of_git=True
        )
        self._beside = {*_folders_above(dependency.url for dependency in dependencies)}

    def absolute(self, url: str) -> str:
        """The URL, or the full path that it names as seen from the working directory."""
        return git_urls.absolute(url, self._root)

    def is_near(self, url: str, *, beside: str = "") -> bool:
        """Return whether a component may name a repository without a word, also one beside another.

        Those of servers are; one in a place that is never read is an error.
        """
        allowed = {*self._beside, *_folders_above([beside])}
        named = git_urls.local_places(self.absolute(url))
        # All of them, as a later one may be an error.
        readable = [
            self._may_read(place, allowed) for folder in named for place in _places_of(folder)
        ]
        return all(readable)

    def _may_read(self, place: str, beside: Iterable[str]) -> bool:
        # First, as it refuses what is never read, wherever repositories lie.
        if self._reach.holds(place):
            return True
        real = os.path.realpath(place)
        return not os.path.lexists(real) or any(
            os.path.commonpath((real, folder)) == folder for folder in beside
        )


def _folders_above(urls: Iterable[str]) -> set[str]:
    places = (place for url in urls for place in git_urls.local_places(url))
    above = {
        os.path.realpath(f"{place.rstrip('/')}/..") for place in places if place.startswith("/")
    }
    return above - {"/"}


def _places_of(named: str) -> Iterator[str]:
    """All paths that Git reads of a repository, also where files or links lead."""
    yield named
    waiting = [f"{named.rstrip('/')}{suffix}" for suffix in _SUFFIXES]
    seen = set[str]()
    while waiting:
        place = waiting.pop()
        real = os.path.realpath(place)
        if real in seen or not os.path.lexists(place):
            continue
        seen.add(real)
        if len(seen) > _MOST_PLACES:
            raise CommodoreError(f"repository {shown(named)} leads to too many others")
        yield place
        if os.path.isfile(place):  # noqa: PTH113 - a text
            content = bytes_of(place)
            if content.startswith(_LABEL):
                waiting += _named_in(content[len(_LABEL) :], place.rpartition("/")[0])
            continue
        if os.path.lexists(f"{place}/HEAD"):
            with os.scandir(place) as scandir_iterator:
                yield from (entry.path for entry in scandir_iterator if entry.is_symlink())
        for folder in _FOLDERS:
            links = [*_links_below(f"{place}/{folder}")]
            yield from links
            waiting += links
        for file, start in _NAMING:
            if os.path.isfile(f"{place}/{file}"):  # noqa: PTH113 - a text
                waiting += _named_in(bytes_of(f"{place}/{file}"), f"{place}/{start}")


def _links_below(folder: str) -> Iterator[str]:
    if os.path.islink(folder):  # noqa: PTH114 - a text
        yield folder
    for above, folders, files in os.walk(folder):
        yield from filter(os.path.islink, (f"{above}/{name}" for name in (*folders, *files)))


def _named_in(content: bytes, start: str) -> list[str]:
    paths = (os.fsdecode(line.strip()) for line in content.splitlines())
    return [os.path.join(start, path) for path in paths if path]  # noqa: PTH118 - a text
