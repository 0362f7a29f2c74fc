"""What a run asks of the outside world, told to whoever wants to ask the same again later."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.download import Source


@dataclass(frozen=True, slots=True)
class Remote:
    """A Git remote was asked what it has."""

    url: str
    objects: Mapping[str, str]
    """Of refs by the names that a clone has for them."""
    default_branch: str


@dataclass(frozen=True, slots=True)
class Version:
    """A branch or a tag of a remote was used, beside those of components and packages."""

    url: str
    version: str
    """The default branch if it is empty."""
    clone: Path | None = None
    """Where all that the remote had was brought; else, it was only asked."""


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A source was asked for what it holds."""

    source: Source
    sha256: str


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
