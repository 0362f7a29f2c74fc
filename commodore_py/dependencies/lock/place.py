"""The place of a cluster's lock file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT, OF_CLUSTER = "catalog.lock", "locks/{cluster}.lock"
"""Names of lock files in a working directory that are used without `--lock`."""


@dataclass(frozen=True, slots=True)
class DefaultLock:
    """The lock file of a cluster that is used without `--lock`, and those of other clusters."""

    file: Path | None
    others: tuple[str, ...] = ()
    """What files with default names are, if they are the locks of other clusters."""


NO_LOCK = DefaultLock(None)


def default_lock(root: Path, cluster_id: str) -> DefaultLock:
    """The lock file of a cluster in a working directory, if one has a default name."""
    others = []
    files = (file_of(root / name, cluster_id) for name in (OF_CLUSTER, DEFAULT))
    for file in filter(Path.is_file, files):
        from .file import LockFile  # most working directories have none

        cluster = LockFile.read(file).lock.cluster
        if cluster == cluster_id:
            return DefaultLock(file)
        of = f"cluster {cluster}" if cluster else "no cluster"
        others.append(f"{short_name(file)} is the lock of {of}")
    return DefaultLock(None, tuple(others))


def file_of(named: Path, cluster_id: str) -> Path:
    """The file of a cluster; `{cluster}` in the name stands for its id."""
    return Path(str(named).replace("{cluster}", cluster_id))


def short_name(file: Path) -> str:
    """A file for messages and commands in them: relative to the current directory, if below it."""
    path = Path.cwd()
    return str(file.relative_to(path) if file.is_relative_to(path) else file)
