"""Directories opened by descriptor, without following links below the directory of a run."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class LinkInTheWay(CommodoreError):
    """A link where a directory of the run must be."""

    @classmethod
    def at(cls, place: str, target: str) -> LinkInTheWay:
        """Name the link."""
        return cls(
            f"{place} is a link: nothing is written or deleted behind it",
            where=f"{place} -> {target}",
            hint="remove the link; if it appeared during the run, find out which program made it",
        )


@dataclass(frozen=True, slots=True)
class _Anchor:
    path: str
    """Absolute, as callers spell it."""
    directory: int
    links: Mapping[str, str]
    """Links that may be followed, and where they lead to."""


_anchors: list[_Anchor] = []


@contextmanager
def anchored(root: Path, *with_links: Path) -> Iterator[None]:
    """Open a directory once; until the end, no function of this package follows links below it.

    But for those that are directly in the folders `with_links` now, as users made them, and for
    the `.git` of checkouts there.
    """
    path = _absolute(root)
    links: dict[str, str] = {}
    for folder in map(_absolute, with_links):
        with suppress(OSError), os.scandir(folder) as entries:
            paths = [path for entry in entries for path in (entry.path, f"{entry.path}/.git")]
            links |= {path: os.path.realpath(path) for path in paths if os.path.islink(path)}  # noqa: PTH114 - texts
    anchor = _Anchor(path, os.open(path, _FOLDER), links)
    _anchors.append(anchor)
    try:
        yield
    finally:
        _anchors.remove(anchor)
        os.close(anchor.directory)


@contextmanager
def opened(folder: Path, *, make: bool = False) -> Iterator[int]:
    """The descriptor of a directory; below an anchor, a link on the way to it is an error."""
    path = _absolute(folder)
    anchor = _anchor_of(path)
    try:
        if anchor is not None:
            descriptor = _descend(anchor, path, make=make)
        else:
            if make:
                folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, _FOLDER)
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_in(directory: int, name: str, *, make: bool = False) -> Iterator[int]:
    """The descriptor of a directory in an open one; a link is an `OSError`."""
    descriptor = _open(directory, name, make=make)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a directory and those above it, unless they are there."""
    with opened(folder, make=True):
        pass


def refuse_link(path: Path) -> None:
    """Raise if a link is at a path below an anchor, or on the way to it."""
    anchor = _anchor_of(_absolute(path))
    if anchor is None or os.path.realpath(path) == anchor.links.get(_absolute(path)):
        return
    with suppress(FileNotFoundError, NotADirectoryError), opened(path.parent) as folder:
        if target := _target(folder, path.name):
            raise LinkInTheWay.at(os.fspath(path), target)


def _absolute(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a text


def _anchor_of(path: str) -> _Anchor | None:
    anchors = (anchor for anchor in tuple(_anchors) if f"{path}/".startswith(f"{anchor.path}/"))
    return max(anchors, key=lambda anchor: len(anchor.path), default=None)


def _descend(anchor: _Anchor, path: str, *, make: bool) -> int:
    """Open a directory below an anchor, name by name."""
    directory, place = os.dup(anchor.directory), anchor.path
    for name in filter(None, path[len(place) :].split("/")):
        place = f"{place}/{name}"
        try:
            inner = _open(directory, name, make=make)
        except OSError:
            target = _target(directory, name)
            if not target:
                raise
            if os.path.realpath(place) != anchor.links.get(place):
                raise LinkInTheWay.at(place, target) from None
            inner = os.open(anchor.links[place], _FOLDER)
        finally:
            os.close(directory)
        directory = inner
    return directory


def _open(directory: int, name: str, *, make: bool) -> int:
    flags = _FOLDER | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=directory)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=directory)
    return os.open(name, flags, dir_fd=directory)


def _target(directory: int, name: str) -> str:
    """Where a link leads to; empty for anything else."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError:
        return ""
