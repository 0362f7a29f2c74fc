"""Why a warning is issued: this decides whether it is repeated when a catalog is up to date."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Cause(Enum):
    """The condition of a warning."""

    EVENT = "event"
    """Something that happened in this run, and perhaps only once. The default."""
    FILES = "files"
    """Files alone: every run of the same files issues it."""
    CATALOG = "catalog"
    """The catalog's checkout: the same as for files, unless the run works without remotes."""
    EVERY_RUN = "every run"
    """It is issued by every run itself, also by one that is up to date."""


# For `extra` of a logging call.
FROM_FILES: Final[Mapping[str, object]] = {"cause": Cause.FILES}
FROM_CATALOG: Final[Mapping[str, object]] = {"cause": Cause.CATALOG}
FROM_EVERY_RUN: Final[Mapping[str, object]] = {"cause": Cause.EVERY_RUN}
