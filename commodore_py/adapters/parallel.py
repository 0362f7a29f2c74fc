"""Work that waits for servers and programs, done by a pool of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_parallel(
    work: Callable[[_Item], _Result], items: Iterable[_Item], *, at_most: int
) -> tuple[_Result, ...]:
    """The results in the order of the items; an error cancels what has not begun."""
    items = tuple(items)
    if len(items) < 2:  # noqa: PLR2004 - there is nothing to do in parallel
        return tuple(map(work, items))
    pool = ThreadPoolExecutor(min(at_most, len(items)))
    try:
        return tuple(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)
