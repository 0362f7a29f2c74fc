"""Which line of which class file an entry stands in that does not compile."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.spot import PlaceOf

_ENTRY = re.compile(r"target (?P<target>\S+), parameters\.kapitan\.compile(?P<index>\[\d+\])")


@contextmanager
def placing(place_of: PlaceOf) -> Iterator[None]:
    """Add the places to the errors of entries; finding one takes its time, so only then."""
    try:
        yield
    except CommodoreError as error:
        for one in error.errors if isinstance(error, SeveralErrors) else (error,):
            one.where = "\n".join(_placed(line, place_of) for line in one.where.splitlines())
        raise


def _placed(line: str, place_of: PlaceOf) -> str:
    found = _ENTRY.fullmatch(line)
    if found is None:
        return line
    return Spot(found["target"], ("kapitan", "compile", found["index"])).seen_from(place_of)
