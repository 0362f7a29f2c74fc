"""Warnings of a run: collected, and issued again by a run that is up to date."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import run_log
from commodore_py.model.warning import Cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PARTS = ("where", "hint")


class WarningIssued(NamedTuple):
    """A warning, of this process or of a worker."""

    about: Mapping[str, str]


class _Reporter(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """Report one record."""
        cause: Cause = getattr(record, "cause", Cause.EVENT)
        if cause is not Cause.EVERY_RUN:
            parts = {name: str(getattr(record, name, "")) for name in _PARTS}
            text, level = record.getMessage(), str(record.levelno)
            about = {"logger": record.name, "text": text, "level": level, "cause": cause.value}
            run_log.report(WarningIssued({**about, **parts}))


@contextmanager
def reported() -> Iterator[None]:
    """Report the warnings that are issued meanwhile as events, so that those of workers count."""
    reporter = _Reporter()
    logger = logging.getLogger("commodore_py")
    logger.addHandler(reporter)
    try:
        yield
    finally:
        logger.removeHandler(reporter)


def issued(events: run_log.Events) -> list[dict[str, str]]:
    """The warnings of a run; those of workers come in any order, so they are sorted."""
    found = [dict(one.about) for one in events.of(WarningIssued)]
    return sorted(found, key=lambda one: (one["logger"], one["text"], one["where"]))


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
