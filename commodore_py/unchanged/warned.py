"""Warnings of a run: kept, and told again where they would come again."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ROOT = "commodore_py"
# What these say depends on what the run reads. What others say may be about something that
# happened only once: a tag that moved, work that was put aside.
_LASTING = (
    "commodore_py.inventory",
    "commodore_py.compiler",
    "commodore_py.postprocess",
    "commodore_py.refs",
    "commodore_py.lieutenant.folder",
    "commodore_py.dependencies.jsonnet.aliases",
    "commodore_py.dependencies.jsonnet.install",
    "commodore_py.dependencies.jsonnet.rendered",
    "commodore_py.dependencies.jsonnet.libraries",
)
_LASTING_ONLINE = "commodore_py.dependencies.catalog.checkout"
# Told anyway: by the command line about its words, by the API about a token.
_TOLD_ANYWAY = ("commodore_py.cli", "commodore_py.lieutenant")
_PARTS = ("where", "hint")


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        facts = record.name == "commodore_py.lieutenant.folder"
        if facts or not record.name.startswith(_TOLD_ANYWAY):
            parts = {name: str(getattr(record, name, "")) for name in _PARTS}
            told = {"by": record.name, "text": record.getMessage(), "level": str(record.levelno)}
            self.warnings.append({**told, **parts})


@contextmanager
def kept() -> Iterator[list[dict[str, str]]]:
    """Collect what is warned about meanwhile."""
    keeper = _Keeper()
    logger = logging.getLogger(_ROOT)
    logger.addHandler(keeper)
    try:
        yield keeper.warnings
    finally:
        logger.removeHandler(keeper)


def again(warnings: Sequence[Mapping[str, str]]) -> None:
    """Warn as a run did."""
    for one in warnings:
        extra = {name: one[name] for name in _PARTS}
        logging.getLogger(one["by"]).log(int(one["level"]), "%s", one["text"], extra=extra)


def will_last(
    warnings: Sequence[Mapping[str, str]],
    before: Sequence[Mapping[str, str]] | None,
    *,
    local: bool,
    pushed: bool,
) -> bool:
    """Whether another run would warn of the same: as files alone decide it, or two have."""
    if not warnings:
        return True
    if pushed:  # some are about a catalog that is not there yet
        return False
    if before is not None and list(before) == list(warnings):
        return True
    names = _LASTING if local else (*_LASTING, _LASTING_ONLINE)
    return all(one["by"].startswith(names) for one in warnings)
