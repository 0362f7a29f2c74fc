"""Result of a compile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .catalog import BuildRecord, Change
    from .problem import Problem


class ReportOutcome(Enum):
    """Result of the compile report."""

    NOT_DUE = "nothing was pushed"
    REPORTED = "reported"
    FAILED = "failed"


class LockUse(NamedTuple):
    """Changes of a lock file, by the names of inputs."""

    file: str = ""
    written: bool = False
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    """Facts and names that the API has otherwise: what is locked is used."""


@dataclass(frozen=True, slots=True)
class Published:
    """Result for the catalog; without a commit, nothing was pushed."""

    change: Change
    record: BuildRecord
    commit: str | None = None
    report: ReportOutcome = ReportOutcome.NOT_DUE
    report_problem: str = ""
    unreported: str = ""
    """The commit whose report failed."""
    timings: tuple[tuple[str, float], ...] = ()
    """Acts of the run, and the seconds that they took."""
    notices: tuple[Problem, ...] = ()
    lock: LockUse | None = None
