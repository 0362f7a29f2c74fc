"""Recovery of a working directory after a killed run, without touching the user's files."""

from __future__ import annotations

import logging
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import asides_in, remove
from commodore_py.adapters.git import on_disk
from commodore_py.adapters.git.worktrees import worktrees_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .journal import Journal, remove_incomplete, take_back

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.adapters.git.worktrees import Worktree
    from commodore_py.config import WorkPaths

log = logging.getLogger(__name__)

_LOOSE = re.compile(r"[0-9a-f]{2}")  # folders of single objects: many, and never locked
# Git refuses to begin while one of these is there; the second is written under a lock.
_IN_THE_WAY = (".lock", "packed-refs.new")
_CLOCKS = 1.0  # what file systems and the system may differ by, in seconds


@dataclass(frozen=True, slots=True)
class Span:
    """The time of a run, in seconds since the epoch."""

    began: float
    ended: float

    def covers(self, path: Path) -> bool:
        """Return whether a file was last changed in that time."""
        return self.began - _CLOCKS <= path.lstat().st_mtime <= self.ended + _CLOCKS


def recover(paths: WorkPaths, span: Span, *, patience: float) -> None:
    """Take back what a run began in this time and did not end."""
    # First of all: until then, a checkout holds what programs were to find, and no user's work.
    notes, places = on_disk.notes_below(paths.state), (paths.root, *_checkouts(paths))
    for place in on_disk.repair(notes, places, patience=patience):
        log.info("restoring files that programs had changed in %s", place)
    clones, unfinished = _clones_and_asides(paths.bare_clones)
    locks = {path: _locks_in(path, span) for path in (*clones, *_git_folders(paths))}
    incomplete = [
        (clone, worktree)
        for clone in clones
        if any(clone.glob("worktrees/*/locked"))  # as they are while Git makes them
        for worktree in _worktrees_of(clone)
        if worktree.incomplete
    ]
    intents = tuple(Journal.of(paths).open_intents())
    asides = [*_asides(paths), *unfinished]

    # Only the killed process has certainly ended; processes that it started may still run.
    concerned = [lock for lock in locks if locks[lock]] + [clone for clone, _ in incomplete]
    busy = {place for path in concerned for place in _places_of(path)} | set(asides)
    busy |= {paths.root / intent.place for _, intent in intents}
    wait_until_idle(busy, patience=patience)

    for lock in (lock for paths in locks.values() for lock in paths):
        log.info("removing a stale lock: %s", lock)
        remove(lock)
    for file, intent in intents:
        log.info("undoing an interrupted step in %s", intent.place)
        take_back(paths.root, intent)
        remove(file)
    for clone, worktree in incomplete:
        if worktree.path.is_relative_to(paths.root.resolve()):
            log.info("removing an incomplete checkout: %s", worktree.path)
            remove_incomplete(worktree.path, clone, worktree.commit)
    for path in asides:
        log.info("removing what was left over: %s", path)
        remove(path)


def _checkouts(paths: WorkPaths) -> Iterator[Path]:
    """Folders of dependencies: each, and all of them, may be elsewhere."""
    if paths.dependencies.is_dir():
        yield from (paths.dependencies, *paths.dependencies.iterdir())


def _clones_and_asides(folder: Path) -> tuple[list[Path], list[Path]]:
    """The bare clones, and what was being made in them or beside them."""
    clones: list[Path] = []
    asides: list[Path] = []
    for parent, folders, names in os.walk(folder):
        if "HEAD" in names and "objects" in folders:
            folders.clear()
            clones.append(Path(parent))
            asides += asides_in(Path(parent, "worktrees"), deep=True)
        else:
            asides += asides_in(Path(parent))
    return clones, asides


def _git_folders(paths: WorkPaths) -> Iterator[Path]:
    """The repositories of the clones that lie in the working directory as such."""
    clones = sorted(paths.classes.iterdir()) if paths.classes.is_dir() else []
    for clone in (*clones, paths.catalog):
        if not clone.is_symlink() and (clone / ".git").is_dir():
            yield clone / ".git"


def _locks_in(repository: Path, span: Span) -> list[Path]:
    paths = []
    for parent, folders, names in os.walk(repository):
        paths += [Path(parent, name) for name in names if name.endswith(_IN_THE_WAY)]
        folders[:] = [name for name in folders if not _LOOSE.fullmatch(name)]
    return [lock for lock in paths if span.covers(lock)]


def _places_of(repository: Path) -> Iterator[Path]:
    """Where a program that uses a repository may be: in it, or in one of its checkouts."""
    if repository.name == ".git":
        yield repository.parent
        return
    yield repository
    yield from (worktree.path for worktree in _worktrees_of(repository))


def _asides(paths: WorkPaths) -> list[Path]:
    flat = (paths.root, paths.classes, paths.classes / "params", paths.targets, paths.dependencies)
    ours = (paths.vendor, paths.state, paths.state / "journal", paths.catalog)
    deep = (paths.compiled, paths.catalog / "manifests", paths.catalog / "refs")
    return [
        *(aside for folder in (*flat, *ours) for aside in asides_in(folder)),
        *(aside for folder in deep for aside in asides_in(folder, deep=True)),
    ]


def _worktrees_of(clone: Path) -> tuple[Worktree, ...]:
    try:
        return worktrees_of(clone)
    except ProgramFailed:  # damaged: a fetch reports it
        return ()


_PAUSE = 0.1


def wait_until_idle(places: Collection[Path], *, patience: float) -> None:
    """Wait while a git program works in these folders or below; give up after a while."""
    real_places = {os.path.realpath(place) for place in places}
    deadline = time.monotonic() + patience
    while busy := _working_in(real_places):
        if time.monotonic() > deadline:
            numbers, folders = zip(*sorted(busy.items()), strict=True)
            raise CommodoreError(
                "an earlier run was ended, but git is still running:"
                f" process {', '.join(map(str, numbers))}",
                where=", ".join(sorted(set(folders))),
                hint="wait for it, or end it; then compile again",
            )
        time.sleep(_PAUSE)


def _working_in(places: Collection[str]) -> dict[int, str]:
    """The git programs that work in these folders or below, with the folders they were started in.

    Where those of another user were started is not known.
    """
    if not places:
        return {}
    import psutil  # after a killed run only

    programs = (process.info for process in psutil.process_iter(["pid", "name", "cwd"]))
    return {
        program["pid"]: program["cwd"]
        for program in programs
        if (program["name"] or "").startswith("git")
        and any(f"{program['cwd']}/".startswith(f"{place.rstrip('/')}/") for place in places)
    }
