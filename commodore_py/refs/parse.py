"""From the text of a reference to what it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model import SecretRef

from .backends import REF_BACKENDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .scan import Occurrence


class BadReference(CommodoreError):
    """A reference that cannot become a reference file."""


def parse_all(found: Iterable[Occurrence]) -> tuple[list[SecretRef], list[CommodoreError]]:
    """Each reference once, and one error for each text that is none."""
    places: dict[str, list[str]] = {}
    for occurrence in found:
        places.setdefault(occurrence.text, []).append(occurrence.place)
    refs: dict[tuple[str, str], SecretRef] = {}
    errors: list[CommodoreError] = []
    for text in sorted(places):
        try:
            ref = parse(text, _said(places[text]))
        except CommodoreError as error:
            errors.append(error)
        else:
            refs.setdefault((ref.backend, ref.path), ref)
    return list(refs.values()), errors


def parse(text: str, place: str) -> SecretRef:
    """Backend and path of a reference; what follows a second colon is a hash, and ignored."""
    kind, *rest = text.split(":")
    if kind not in REF_BACKENDS:
        known = ", ".join(f"?{{{name}:...}}" for name in sorted(REF_BACKENDS))
        raise BadReference(
            f"reference ?{{{text}}} is of a type that is not supported",
            where=place,
            hint=f"supported are {known}",
        )
    if not rest:
        raise BadReference(
            f"reference ?{{{text}}} has no path",
            where=place,
            hint=f"write ?{{{kind}:<secret>/<key>}}",
        )
    ref = SecretRef(kind, rest[0], place)
    REF_BACKENDS[kind].check(ref)
    return ref


def _said(places: list[str]) -> str:
    first, *more = dict.fromkeys(places)
    return f"{first} (and {len(more)} more)" if more else first
