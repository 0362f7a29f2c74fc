"""Export a lock with all of its content, and compile from such an export without a network."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.dependencies.lock import exports
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.dependencies.lock.place import file_of, short_name
from commodore_py.dependencies.lock.run import LockedRun
from commodore_py.dependencies.lock.state import LockSettings, LockWouldChange
from commodore_py.workflows.dry_run import copied

from .resolve import compiled, of_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export: the file, and its members."""

    file: str
    cluster: str
    path: str
    members: tuple[str, ...]


def export(config: Config, file: Path, path: Path) -> Exported:
    """Gather everything of a lock, and put it into a folder or an archive."""
    exports.check_name(path)
    read = of_cluster(file)
    with copied(config) as scratch, tempfile.TemporaryDirectory() as folder:
        # A store of its own has what this lock needs, and nothing else.
        downloads = Path(folder).resolve() / "downloads"
        scratch_config = replace(scratch, download_cache=downloads)
        run = LockedRun(read, LockSettings(short_name(file), frozen=True), write=False)
        compiled(scratch_config, read.lock.cluster, run)
        is_archive = path.name.endswith((".tar", ".tar.gz"))
        target = Path(folder) / "export" if is_archive else path
        members = exports.collect(read.lock, read.text, scratch_config.paths, downloads, target)
        if is_archive:
            exports.pack(target, path)
    return Exported(str(file), read.lock.cluster, str(path), members)


@contextmanager
def from_export(config: Config, path: Path) -> Iterator[Config]:
    """Settings of a run that uses an export and no network."""
    with exports.opened(path) as folder:
        lock_file = LockFile.read(folder / exports.LOCK)
        if config.lock_file is not None:
            beside = LockFile.read(file_of(config.lock_file, lock_file.lock.cluster))
            if beside.lock.content() != lock_file.lock.content():
                raise LockWouldChange(
                    "the lock file and the one of the export differ",
                    where=f"{config.lock_file}\n{path}",
                    hint="omit --lock, or export again",
                )
        exports.restore(folder, lock_file.lock, config.paths)
        yield replace(
            config,
            lock_file=lock_file.file,
            frozen=True,
            offline=True,
            local=False,
            download_cache=None,
            tenant_revision=config.tenant_revision or exports.unpinned_tenant_in(folder),
        )
