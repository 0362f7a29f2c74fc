"""Warnings of a run: collected, and issued again by a run that is up to date."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.model.warning import Cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PARTS = ("where", "hint")


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Collect one record."""
        cause: Cause = getattr(record, "cause", Cause.EVENT)
        if cause is not Cause.EVERY_RUN:
            parts = {name: str(getattr(record, name, "")) for name in _PARTS}
            text, level = record.getMessage(), str(record.levelno)
            about = {"logger": record.name, "text": text, "level": level, "cause": cause.value}
            self.warnings.append({**about, **parts})


@contextmanager
def collected() -> Iterator[list[dict[str, str]]]:
    """Collect the warnings that are issued meanwhile."""
    collector = _Collector()
    logger = logging.getLogger("commodore_py")
    logger.addHandler(collector)
    try:
        yield collector.warnings
    finally:
        logger.removeHandler(collector)


def repeat(warnings: Sequence[Mapping[str, str]]) -> None:
    """Issue the warnings of an earlier run."""
    for one in warnings:
        extra = {name: one[name] for name in _PARTS}
        logging.getLogger(one["logger"]).log(int(one["level"]), "%s", one["text"], extra=extra)


def are_repeatable(
    warnings: Sequence[Mapping[str, str]],
    before: Sequence[Mapping[str, str]] | None,
    *,
    local: bool,
    pushed: bool,
) -> bool:
    """Whether another run would issue the same: by their causes, or as two runs have."""
    if not warnings:
        return True
    if pushed:  # some are about a catalog that does not exist yet
        return False
    if before is not None and list(before) == list(warnings):
        return True
    causes = {Cause.FILES} if local else {Cause.FILES, Cause.CATALOG}
    return all(Cause(one["cause"]) in causes for one in warnings)
