"""Which problems a run accepts."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    from .severity import Severity


class Ignore(NamedTuple):
    """Problems that do not count: by code, and by a pattern of what they are about."""

    code: str
    """A code, or `area/*`."""
    match: str = ""
    """Glob over file, instance, field and `Kind namespace/name`; empty for all."""
    clusters: tuple[str, ...] = ()
    """Globs of cluster ids; empty for all."""
    reason: str = ""
    until: date | None = None
    """The last day that it applies on; None for this run only."""
    where: str = ""
    """File and line of an entry in a file."""
    delegated: bool = True
    """Whether it may apply to everything, not only to problems in the tenant's own files."""


class Tolerance(NamedTuple):
    """What does not fail a run."""

    max_severity: Severity = "warning"
    """The worst severity that is accepted."""
    ignores: tuple[Ignore, ...] = ()
    baseline: Mapping[str, int] = MappingProxyType({})
    """Fingerprints of known problems, and how often each was there."""
    write_baseline: Path | None = None


DEFAULT = Tolerance()


class CheckSettings(NamedTuple):
    """Which checks a compile makes, and which problems it accepts."""

    only: tuple[str, ...] = ()
    """Names of checks; empty for all."""
    skip: tuple[str, ...] = ()
    policy_engine: str = ""
    """`opa` for the program of that name."""
    tolerance: Tolerance = DEFAULT
    reports: tuple[tuple[str, Path], ...] = ()
    """Forms and files to write the problems to."""
