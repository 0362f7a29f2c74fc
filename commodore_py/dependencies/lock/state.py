"""The lock, inputs that a run found beside it, and what it must not change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.problem import Problem

from .document import KEYS, Block, Lock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.problems.codes import Severity

    from .document import Path


class LockWouldChange(CommodoreError):
    """A lock file would have to change, and may not."""

    exit_code = 6


@dataclass(frozen=True, slots=True)
class LockSettings:
    """How a run treats its lock."""

    name: str
    """Of the file, for messages."""
    frozen: bool = False
    offline: bool = False
    renewed: frozenset[Path] = frozenset()
    """Blocks that are resolved again."""
    alone: bool = False
    """Whether it is the lock of a component or a package by itself, and of all its test cases."""

    def block_name(self, name: str, requested: str) -> str:
        """The name of a block: test cases may request several versions of one thing."""
        return f"{name}@{requested}" if self.alone else name

    @property
    def to_lock(self) -> str:
        """How the lock is brought up to date."""
        if self.alone:
            return f"run it again without --frozen, and commit {self.name}"
        return f"compile once with --lock {self.name} and without --frozen"

    def to_update(self, path: Path) -> str:
        """How an input is resolved again."""
        if self.alone:
            return f'remove [{path[0]}."{path[-1]}"] from {self.name}, and run it again'
        return f"commodore lock update '{'/'.join(path)}' --lock {self.name}"


class LockState:
    """The lock of a run while it gathers."""

    def __init__(self, lock: Lock, settings: LockSettings) -> None:
        self.lock = lock
        self.settings = settings
        self.recorded: dict[Path, Block] = {}
        """What the run needs, as far as it is known."""
        self.changes: list[CommodoreError] = []
        """What cannot be compiled without a change of the lock."""
        self.missing: list[CommodoreError] = []
        """What an offline run would have to fetch."""
        self.notices: list[Problem] = []
        self.drift: list[str] = []
        """Facts and names that are locked and used, and not those of now."""

    def pin(self, path: Path) -> Block | None:
        """The block that answers a request, unless that is to be resolved again."""
        return None if path in self.settings.renewed else self.lock.blocks.get(path)

    def why_not_pinned(self, path: Path) -> str:
        """Why a frozen run cannot use what answers a request."""
        if path in self.lock.blocks:
            return "its pin is incomplete"
        return "it is requested, and it is not locked"

    def record(self, path: Path, values: Mapping[str, object], *, all_of_it: bool = True) -> Block:
        """Note what an input is; comments and what we do not know are kept.

        Values that are not given are removed if these are `all_of_it`.
        """
        before = self.lock.blocks.get(path, Block({}))
        replaced = (KEYS[path[0]] or before.values) if all_of_it else ()
        kept = {key: value for key, value in before.values.items() if key not in replaced}
        block = replace(before, values={**kept, **values})
        self.recorded[path] = block
        return block

    def keep(self, path: Path) -> None:
        """Leave a block as it is."""
        if path in self.lock.blocks:
            self.recorded[path] = self.lock.blocks[path]

    def refuse(self, what: str, why: str, where: str = "") -> None:
        """Note that a frozen run would have to change the lock."""
        self.changes.append(self.refusal(what, why, where))

    def refusal(self, what: str, why: str, where: str = "") -> LockWouldChange:
        """The error of a frozen run that would have to change the lock."""
        return LockWouldChange(
            f"{what}: {why}, and --frozen changes nothing",
            where=where,
            hint=self.settings.to_lock,
        )

    def notice(
        self, message: str, where: str = "", *, strict: bool = False, severity: Severity = "info"
    ) -> None:
        """Note something that the user should see."""
        self.notices.append(
            Problem(message, where=where, severity=severity, strict=strict, code="lock/notice")
        )

    def raise_changes(self) -> None:
        """End a run that would have to change its lock, or to fetch without a network."""
        changed = "the lock file does not cover everything"
        summary = changed if self.changes else "what is locked is not available offline"
        raise_collected([*self.changes, *self.missing], summary)
