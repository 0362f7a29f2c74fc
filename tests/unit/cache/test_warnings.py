"""Warnings of a run that are issued again by a run that is up to date."""

from __future__ import annotations

import logging

import pytest

from commodore_py import run_log
from commodore_py.adapters import forked
from commodore_py.cache.up_to_date import warnings


@pytest.mark.parametrize("level", [logging.WARNING, logging.ERROR])
def test_warnings_are_repeated_with_their_level(
    level: int, caplog: pytest.LogCaptureFixture
) -> None:
    with run_log.collecting() as events, warnings.reported():
        logging.getLogger("commodore_py.compiler.target").log(level, "goes on %s", "without")
    caplog.clear()

    warnings.repeat(warnings.issued(events))

    assert caplog.record_tuples == [("commodore_py.compiler.target", level, "goes on without")]


def test_warnings_of_workers_count() -> None:
    def work(item: int) -> None:
        logging.getLogger("commodore_py.compiler.target").warning("entry %d failed", item)

    with run_log.collecting() as events, warnings.reported():
        list(forked.each(lambda: work, range(4), 2))

    texts = [one["text"] for one in warnings.issued(events)]
    assert texts == [f"entry {number} failed" for number in range(4)]
