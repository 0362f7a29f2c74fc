"""What a JSON web token says, and when it ends; who signed it is not asked here."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS_TO_SPARE = 10
"""A token that ends within these is of no use: the request takes time, and clocks differ."""


def is_one_word(token: str) -> bool:
    """Whether a token can stand in a header at all."""
    return bool(token) and token.isascii() and token.isprintable() and " " not in token


def claims_of(token: str) -> Mapping[str, Any] | None:
    """The claims of a web token; None when it is none."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims, signature
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return claims if isinstance(claims, dict) else None


def expiry_of(token: str) -> float | None:
    """When a token ends, as far as that can be read from it."""
    expiry = (claims_of(token) or {}).get("exp")
    try:
        return float(expiry) if isinstance(expiry, int | float) else None
    except OverflowError:
        return None


def has_expired(token: str, now: float) -> bool:
    """Whether a token is known to be of no use any more."""
    expiry = expiry_of(token)
    return expiry is not None and expiry < now + SECONDS_TO_SPARE
