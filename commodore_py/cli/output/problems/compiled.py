"""Problems of a catalog that is compiled: reports are written even where they end the run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.cli.output import messages
from commodore_py.model.verdict import CatalogChecked

from . import write_baseline, write_reports
from .outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problems.tolerance import CheckSettings


@contextmanager
def reported(settings: CheckSettings) -> Iterator[None]:
    """Write what the checks of a run find, and its sum, however the run ends."""
    with run_log.collecting() as events:
        try:
            yield
        finally:
            for checked, verdict in events.of(CatalogChecked):
                outcome = Outcome(
                    verdict, "catalog compile", objects=checked.objects, checks=checked.runs
                )
                write_baseline(verdict, settings.tolerance.write_baseline)
                write_reports(outcome, settings.reports)
                messages.info(f"Checks: {outcome.summary()}")
