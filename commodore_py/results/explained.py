"""What became of entries, told to people."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .verdict import Verdict

log = logging.getLogger(__name__)


def explain(verdicts: Iterable[Verdict]) -> None:
    """One line for each entry, by target."""
    for one in sorted(verdicts, key=lambda verdict: verdict.target):
        log.info("%s", one)
