"""Several locks in one command, each with the working directory of its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.dependencies.lock.file import LockFile
from commodore_py.workflows.catalog.several import config_for

from . import names, resolve
from .compare import lock_at
from .show import LockedInput, locked_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from commodore_py.config import Config


class ShownLock(NamedTuple):
    """A lock with its inputs, or some of them."""

    file: str
    cluster: str
    inputs: tuple[LockedInput, ...]


def show(config: Config, files: Sequence[str], wanted: Sequence[str]) -> tuple[ShownLock, ...]:
    """The inputs of these names in each lock; all of them without a name."""
    locks = {file: lock_at(file) for file in files}
    chosen = names.find_in_all(locks, wanted)
    return tuple(
        ShownLock(
            file,
            lock.cluster,
            locked_inputs(
                _config_of(config, lock.cluster, len(locks)),
                lock,
                chosen[file] if wanted else sorted(names.inputs_of(lock)),
            ),
        )
        for file, lock in locks.items()
    )


def update(
    config: Config,
    files: Sequence[Path],
    wanted: Sequence[str],
    *,
    to: str,
    dry_run: bool,
    compare: bool,
) -> Mapping[str, tuple[resolve.Step, ...]]:
    """Update the inputs of these names in each lock that has them."""
    locks = {str(file): LockFile.read(file).lock for file in files}
    chosen = names.find_in_all(locks, wanted)
    found: dict[str, tuple[resolve.Step, ...]] = {}
    for file in files:
        paths = tuple(map(names.name_of, chosen[str(file)]))
        if wanted and not paths and locks[str(file)].blocks:
            found[str(file)] = ()
            continue
        own = _config_of(config, locks[str(file)].cluster, len(files))
        found[str(file)] = resolve.update(own, file, paths, to=to, dry_run=dry_run, compare=compare)
    return found


def _config_of(config: Config, cluster: str, count: int) -> Config:
    return config_for(config, cluster) if cluster and count > 1 else config
