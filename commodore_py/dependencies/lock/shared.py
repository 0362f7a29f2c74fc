"""The lock of a component or a package by itself: several compiles share one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, UsageError

from .file import LockFile, check_writable
from .git_pins import refuse_contradictions
from .run import LockedRun, NoLockFile
from .state import LockSettings, LockWouldChange

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as Folder

    from commodore_py.config import Config
    from commodore_py.model.problem import Problem

    from .document import Block, Path


class SharedLock:
    """The lock of all compiles of a command; `finish` writes it."""

    def __init__(self, file: LockFile, settings: LockSettings, *, write: bool) -> None:
        self._file, self._settings, self._write = file, settings, write
        self._found: dict[Path, Block] = {}
        self._refused: dict[str, CommodoreError] = {}
        self._cases = 0

    @classmethod
    def open(cls, config: Config, place: Folder) -> SharedLock:
        """The lock that the settings name; refuses what cannot end well."""
        file, frozen = LockFile.read(place), config.frozen or config.offline
        if file.lock.cluster:
            raise UsageError(
                f"this is the lock of cluster {file.lock.cluster}",
                where=str(place),
                hint="name another file: components and packages have locks of their own",
            )
        if not file.exists and frozen:
            raise NoLockFile.missing(str(place), hint="run it once without --frozen")
        writes = not (frozen or config.local)  # in local mode, checkouts are only compared
        if writes:
            check_writable(place, config.paths)
        settings = LockSettings(str(place), frozen=frozen, offline=config.offline, alone=True)
        return cls(file, settings, write=writes)

    def run(self) -> LockedRun:
        """One compile with it, which writes nothing."""
        return LockedRun(self._file, self._settings, write=False)

    def add(self, findings: Mapping[Path, Block]) -> None:
        """Note what a compile is made of."""
        self._cases += 1
        for path, block in findings.items():
            first = self._found.get(path, block)
            self._found[path] = block
            if first.values != block.values and path[0] != "tool":
                raise CommodoreError(
                    f"{'/'.join(path)} is not the same in two test cases",
                    where=self._settings.name,
                    hint="run it again if a remote moved; else lock the cases in separate files,"
                    " with --case",
                )

    def refused(self, error: CommodoreError) -> bool:
        """Return whether a compile ended because the lock would change: `finish` raises it."""
        if error.exit_code != LockWouldChange.exit_code:
            return False
        self._refused |= {f"{part} {part.where}": part for part in error.parts}
        return True

    @property
    def refuses(self) -> bool:
        """True if any compile was refused."""
        return bool(self._refused)

    def finish(self, *, cases: int = 0) -> tuple[Problem, ...]:
        """Write it; if this many `cases` were compiled, what none of them requests is removed."""
        run = LockedRun(self._file, self._settings, write=self._write)
        run.state.changes.extend(self._refused.values())
        run.state.raise_changes()
        complete = self._cases == cases > 0
        if not complete:
            # The tools of this run count.
            blocks = self._file.lock.blocks.items()
            run.take({path: block for path, block in blocks if path[0] != "tool"})
        run.take(self._found)
        refuse_contradictions(run.result(), self._settings.name)
        run.finish()
        return run.notices
