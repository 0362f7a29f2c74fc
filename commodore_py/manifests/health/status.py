"""What is said about the health of an object, and which of several is worst (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

Status: TypeAlias = Literal["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"]
STATUSES: tuple[Status, ...] = (
    "Healthy",
    "Suspended",
    "Progressing",
    "Missing",
    "Degraded",
    "Unknown",
)
"""Every status; the last one is the worst."""


class Verdict(NamedTuple):
    """A status with its reason; without a status, the rule returned none."""

    status: Status | None
    message: str = ""


class Health(NamedTuple):
    """The health of an object: no status if nothing knows its kind, or if a rule returns none."""

    status: Status | None
    message: str
    source: str
    """`deletion`, `rule NAME`, `built-in`, `kstatus` or `none`."""
    waits: bool
    """Whether a sync of Argo CD waits for this object."""


def healthy(message: str = "") -> Verdict:
    """It is as requested."""
    return Verdict("Healthy", message)


def suspended(message: str = "") -> Verdict:
    """It is paused."""
    return Verdict("Suspended", message)


def progressing(message: str = "") -> Verdict:
    """It may become healthy."""
    return Verdict("Progressing", message)


def degraded(message: str = "") -> Verdict:
    """It failed, or did not become healthy in time."""
    return Verdict("Degraded", message)


def unknown(message: str = "") -> Verdict:
    """Its health cannot be judged."""
    return Verdict("Unknown", message)


def status_named(word: object) -> Status | None:
    """The status of that name."""
    return next((status for status in STATUSES if status == word), None)


def worst(statuses: Iterable[Status]) -> Status | None:
    """The worst of some statuses; None if there are none."""
    return max(statuses, key=STATUSES.index, default=None)
