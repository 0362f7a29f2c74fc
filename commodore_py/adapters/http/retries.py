"""Further attempts: when, how often, and after which pause.

The retries of urllib3 end with the first byte of a response; these repeat a download that broke
off, too.
"""

from __future__ import annotations

import logging
import math
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from commodore_py.adapters import ending, time_limits

from .errors import HttpError, ServerAway, TooMany

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

log = logging.getLogger(__name__)

PAUSES = (0.3, 1.0)
"""Seconds to wait before each further attempt of a GET."""

_MOST = 5
_LONG = 1

Result = TypeVar("Result")


def persistently(
    act: Callable[[], Result],
    where: str,
    pauses: Sequence[float] = PAUSES,
    kinds: tuple[type[HttpError], ...] = (ServerAway, TooMany),
) -> Result:
    """Do something until it works, as long as a server may only be busy; without pauses, once.

    A pause that the server asks for is kept, within the time limit `retry`.
    """
    left = time_limits.current().retry or math.inf
    for attempt in range(_MOST):
        try:
            return act()
        except kinds as error:
            requested = retry_after(error.headers)
            if not pauses or (requested is None and attempt >= len(pauses)):
                raise
            pause = pauses[attempt] if requested is None else requested
            if requested is not None and pause > left:
                hint = time_limits.hint("retry", pause)
                error.hint = f"the server asks to come back in {math.ceil(pause)} seconds; {hint}"
                raise
            level = time_limits.SHOWN if pause > _LONG else logging.DEBUG
            log.log(level, "%s: %s; asking again in %g seconds", where, error, pause)
        left -= pause
        ending.pause(pause)
    return act()


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that `Retry-After` asks for: a number of them, or a date."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return None
