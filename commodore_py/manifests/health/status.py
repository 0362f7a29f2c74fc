"""Health of objects, and which of several is worst (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Status: TypeAlias = Literal["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""Every status; the last one is the worst."""


class Verdict(NamedTuple):
    """A status with its reason; without a status, the rule returned none."""

    status: Status | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of an object: no status if nothing knows its kind, or if a rule returns none."""

    status: Status | None
    message: str
    source: str
    """`deletion`, `rule NAME`, `built-in`, `kstatus` or `none`."""
    waits: bool
    """Whether a sync of Argo CD waits for this object."""


healthy = partial(Verdict, "Healthy")
suspended = partial(Verdict, "Suspended")
progressing = partial(Verdict, "Progressing")
degraded = partial(Verdict, "Degraded")
unknown = partial(Verdict, "Unknown")
"""Its health cannot be judged."""


def status_named(word: object) -> Status | None:
    """The status of that name."""
    return next((status for status in STATUSES if status == word), None)


def worst(statuses: Iterable[Status]) -> Status | None:
    """The worst of some statuses; None if there are none."""
    return max(statuses, key=STATUSES.index, default=None)
