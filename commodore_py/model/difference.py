"""Which differences between two catalogs are not shown."""

from __future__ import annotations

from typing import Literal, NamedTuple

Grade = Literal["data-loss", "recreate", "outage", "restart", "none"]

GRADES: tuple[Grade, ...] = ("data-loss", "recreate", "outage", "restart", "none")
"""What a change does to a running cluster; worst first."""


class IgnoreRule(NamedTuple):
    """A rule that hides changes of fields; what it hides is counted under its name."""

    name: str
    paths: tuple[str, ...]
    """Patterns such as `metadata.labels."helm.sh/*"`; each covers everything below it."""
    kinds: tuple[str, ...] = ()
    """`Deployment` or `apps/Deployment`; none means every kind."""
    values: str = ""
    """A regular expression that old and new value must match, as far as there are such."""
    changes: tuple[str, ...] = ()
    """Which kinds of changes: added, removed, changed, reordered; none means all."""
    up_to: str = "data-loss"
    """The worst grade of a change that is hidden."""
