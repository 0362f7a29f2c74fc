"""Warnings of a run that are told again."""

from __future__ import annotations

import logging

import pytest

from commodore_py.cache.up_to_date import warnings


@pytest.mark.parametrize("level", [logging.WARNING, logging.ERROR])
def test_warnings_are_repeated_with_their_level(
    level: int, caplog: pytest.LogCaptureFixture
) -> None:
    with warnings.collected() as collected:
        logging.getLogger("commodore_py.compiler.target").log(level, "goes on %s", "without")
    caplog.clear()

    warnings.repeat(collected)

    assert caplog.record_tuples == [("commodore_py.compiler.target", level, "goes on without")]
