"""What a run asks of the outside world, told to whoever wants to ask the same again later."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Like the handlers of logging: one list for all threads. A change replaces it.
_heard: tuple[list[object], ...] = ()


@contextmanager
def heard() -> Iterator[list[object]]:
    """Collect what is asked and answered meanwhile, in this process."""
    global _heard  # noqa: PLW0603 - see there
    mine: list[object] = []
    _heard = (*_heard, mine)
    try:
        yield mine
    finally:
        _heard = tuple(one for one in _heard if one is not mine)


def tell(question: object) -> None:
    """Something was asked, and this is what is known about it."""
    for one in _heard:
        one.append(question)
