"""References that cannot become reference files, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from commodore_py.model.secrets import SecretRef
    from commodore_py.model.spot import PlaceOf, Spot


class BadReference(CommodoreError):
    """A reference that cannot become a reference file."""

    references: tuple[SecretRef, ...] = ()
    """Those that it is about."""

    @classmethod
    def of(cls, message: str, *refs: SecretRef, hint: str) -> Self:
        """An error about these references."""
        error = cls(message, hint=hint)
        error.references = refs
        return error


def located(error: CommodoreError, place_of: PlaceOf) -> CommodoreError:
    """The error with the places of its references: looked up only when they are shown."""
    if isinstance(error, BadReference):
        error.where = "\n".join(places_text(ref.found_in, place_of) for ref in error.references)
    return error


def places_text(spots: Sequence[Spot], place_of: PlaceOf) -> str:
    """Where the first one comes from, which parameter it is, and how many more there are."""
    first, *more = dict.fromkeys(spots)
    shown = first.seen_from(place_of)
    return f"{shown} (and {len(more)} more)" if more else shown
