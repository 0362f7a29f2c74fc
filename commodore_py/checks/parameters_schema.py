"""Parameters of instances, compared with the schemas of their components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Ended

if TYPE_CHECKING:
    from .base import Documents, Settings

NAME = "parameters-schema"


def run(_documents: Documents, settings: Settings) -> Ended | None:
    """Problems of the hierarchy; None where there is no hierarchy."""
    return Ended(tuple(settings.parameters())) if settings.parameters is not None else None
