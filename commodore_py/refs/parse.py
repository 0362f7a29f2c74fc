"""From the text of a reference to what it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.model.secrets import SecretRef

from .backends import REF_BACKENDS
from .errors import BadReference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.spot import Spot

    from .scan import Occurrence


def parse_all(found: Iterable[Occurrence]) -> tuple[list[SecretRef], list[BadReference]]:
    """Each reference once, and one error for each text that is none."""
    refs: dict[tuple[str, str], SecretRef] = {}
    errors: list[BadReference] = []
    for text, spots in by_text(found).items():
        try:
            ref = parse(text, spots)
        except BadReference as error:
            errors.append(error)
        else:
            refs.setdefault((ref.backend, ref.path), ref)
    return list(refs.values()), errors


def by_text(found: Iterable[Occurrence]) -> dict[str, tuple[Spot, ...]]:
    """Every text, sorted, and all parameters that hold it."""
    spots: dict[str, list[Spot]] = {}
    for occurrence in found:
        spots.setdefault(occurrence.text, []).append(occurrence.spot)
    return {text: tuple(spots[text]) for text in sorted(spots)}


def parse(text: str, spots: tuple[Spot, ...]) -> SecretRef:
    """Backend and path of a reference; what follows a second colon is a hash, and ignored."""
    kind, *rest = text.split(":")
    ref = SecretRef(kind, rest[0] if rest else "", spots)
    if kind not in REF_BACKENDS:
        known = ", ".join(f"?{{{name}:...}}" for name in sorted(REF_BACKENDS))
        raise BadReference.of(
            f"reference ?{{{text}}} is of a type that is not supported",
            ref,
            hint=f"supported are {known}",
        )
    if not rest:
        raise BadReference.of(
            f"reference ?{{{text}}} has no path", ref, hint=f"write ?{{{kind}:<secret>/<key>}}"
        )
    REF_BACKENDS[kind].check(ref)
    return ref
