"""Parameters of instances, compared with the schemas of their components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Ended

if TYPE_CHECKING:
    from .base import Context
    from .documents import Documents

NAME = "parameters-schema"


def run(_documents: Documents, context: Context) -> Ended | None:
    """What the hierarchy has of problems; None where there is no hierarchy."""
    return Ended(tuple(context.parameters())) if context.parameters is not None else None
