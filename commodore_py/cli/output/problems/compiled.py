"""Problems of a catalog that is compiled: their number is printed even if they end the run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.cli.output import messages
from commodore_py.model.verdict import CatalogChecked

from .outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def reported() -> Iterator[None]:
    """Print how many problems the checks of a run found, however the run ends."""
    with run_log.collecting() as events:
        try:
            yield
        finally:
            for checked, verdict in events.of(CatalogChecked):
                outcome = Outcome(
                    verdict, "catalog compile", objects=checked.objects, checks=checked.runs
                )
                messages.info(f"Checks: {outcome.summary()}")
