"""References that cannot become reference files, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.model.spot import PlaceOf, Spot


class BadReference(CommodoreError):
    """A reference that cannot become a reference file."""


def places_text(spots: Sequence[Spot], place_of: PlaceOf) -> str:
    """Where the first one comes from, which parameter it is, and how many more there are."""
    first, *more = dict.fromkeys(spots)
    shown = first.seen_from(place_of)
    return f"{shown} (and {len(more)} more)" if more else shown
