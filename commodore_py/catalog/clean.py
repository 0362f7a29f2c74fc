"""Remove what a compile generates, unless unpublished work would be lost."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.adapters.git.program import git
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError, raise_collected

from .layout import is_generated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config, WorkPaths

log = logging.getLogger(__name__)

_SHOWN = 20
_BACKUPS = "refs/commodore/backup"
# Refs that compiles write: backups, and commits that were checked out.
_NOT_THE_USERS = ("--exclude=refs/commodore/*", "--exclude=refs/worktree/*")


def clean(config: Config) -> tuple[Path, ...]:
    """Remove generated folders and return them; refuse where unpublished work would be lost.

    With `force`, repositories with unpublished work are moved to the folder of our own state.
    """
    paths = config.paths
    if not paths.root.is_dir():
        return ()
    with files.anchored(paths.root, paths.root, paths.dependencies, paths.classes):
        losses = tuple(_losses(paths))
        if config.force:
            for repository in dict.fromkeys(Path(loss.where) for loss in losses):
                _move_aside(repository, paths)
        else:
            raise_collected(losses, "nothing was removed")
        libraries = paths.dependencies / "libs"
        generated = (paths.inventory, paths.libraries, libraries, paths.compiled, paths.catalog)
        # The target of a link was not generated.
        folders = tuple(path for path in generated if path.is_dir() and not path.is_symlink())
        for folder in folders:
            try:
                files.remove(folder)
            except OSError as error:
                raise CommodoreError(
                    f"cannot remove {error.filename or folder}: {error.strerror}", where=str(folder)
                ) from error
        return folders


def _move_aside(repository: Path, paths: WorkPaths) -> None:
    if not repository.is_dir():
        return  # it was in another one that is moved already
    place = paths.state / "kept" / time.strftime("%Y-%m-%dT%H-%M-%S")
    place = place / repository.relative_to(paths.root)
    try:
        files.rename(repository, place)
    except OSError as error:
        raise CommodoreError(
            f"cannot move {repository} aside: {error.strerror}", where=str(place)
        ) from error
    log.warning("unpublished work is kept in %s", place, extra={"where": str(repository)})


def _losses(paths: WorkPaths) -> Iterator[CommodoreError]:
    for repository in _repositories(paths.classes):
        yield from _loss(repository, _changed_files(repository))
    for repository in _repositories(paths.catalog):
        changed = _changed_files(repository)
        if repository == paths.catalog:
            # Every compile without a push leaves these changed, and the next writes them again.
            changed = (name for name in changed if not is_generated(PurePosixPath(name)))
        yield from _loss(repository, changed)


def _repositories(folder: Path) -> Iterator[Path]:
    """Git checkouts in a folder; links lead to places that are not removed."""
    if folder.is_symlink():
        return
    for parent, folders, names in os.walk(folder):
        if ".git" in folders or ".git" in names:
            yield Path(parent)
        folders[:] = sorted(name for name in folders if name != ".git")


def _loss(repository: Path, changed: Iterator[str]) -> Iterator[CommodoreError]:
    try:
        # A tag counts as published: remotes have tags that are on none of their branches.
        published = ("--not", "--remotes", "--tags")
        commits = ("log", "--format=commit %h%x20(%s)", *_NOT_THE_USERS, "--all", *published)
        work = [*changed, *_ask(repository, *commits).splitlines()]
        refs = _ask(repository, "for-each-ref", "--format=%(refname)", _BACKUPS).splitlines()
        aside = [
            ref for ref in refs if _ask(repository, "rev-list", "--max-count=1", ref, *published)
        ]
    except ProgramFailed as error:
        yield CommodoreError(
            f"cannot determine whether there is unpublished work: {error}",
            where=str(repository),
            hint="repair it, or use --force to move it to .commodore/kept",
        )
        return
    if work:
        shown = [*work[:_SHOWN], *([f"and {len(work) - _SHOWN} more"] if work[_SHOWN:] else [])]
        yield CommodoreError(
            "this repository has unpublished work: " + ", ".join(shown),
            where=str(repository),
            hint="commit and push it, or use --force to move the repository to .commodore/kept",
        )
    if aside:
        yield CommodoreError(
            f"this repository has backups of unpublished work: {', '.join(aside)}",
            where=str(repository),
            hint="push what you need with `git push origin <ref>:refs/heads/<branch>` there, and"
            " drop the rest with `git update-ref -d <ref>`; or use --force to move the repository"
            " to .commodore/kept",
        )


def _changed_files(repository: Path) -> Iterator[str]:
    output = _ask(
        repository, "status", "--porcelain", "--no-renames", "--untracked-files=all", "-z"
    )
    for entry in output.split("\0"):
        if entry:
            yield entry[3:]


def _ask(repository: Path, *arguments: str) -> str:
    return git(repository, *arguments, env={"GIT_OPTIONAL_LOCKS": "0"})  # asking writes nothing
