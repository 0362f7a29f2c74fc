"""Where a catalog is written to: a table of destinations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import directory, git

if TYPE_CHECKING:
    from commodore_py.config import Config

    from .base import SinkKind

# The first that the settings choose is used.
SINKS: dict[str, SinkKind] = {
    "directory": directory,
    "git": git,
}


def chosen_sink(config: Config) -> SinkKind:
    """The destination that the settings name."""
    return next(kind for kind in SINKS.values() if kind.is_chosen(config))
