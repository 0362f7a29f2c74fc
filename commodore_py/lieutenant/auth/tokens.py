"""JSON web tokens: their claims and expiry; signatures are not verified here."""

from __future__ import annotations

import base64
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.http.address import is_one_word
from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS_TO_SPARE = 10
"""A token that expires sooner counts as expired: requests take time, and clocks differ."""
_LARGEST = 1 << 20


class TokenExpired(CommodoreError):
    """The given token has expired."""


def claims_of(token: str) -> Mapping[str, Any] | None:
    """The claims of a web token; None if it is not one."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims, signature
        return None
    try:
        claims = json_text.load(
            base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)), name="token"
        )
    except ValueError:
        return None
    return claims if isinstance(claims, dict) else None


def expiry_of(token: str) -> float | None:
    """When a token expires; None if it has no readable expiry."""
    expiry = (claims_of(token) or {}).get("exp")
    try:
        return float(expiry) if isinstance(expiry, int | float) else None
    except OverflowError:
        return None


def has_expired(token: str) -> bool:
    """Return whether a token has expired, as far as known."""
    expiry = expiry_of(token)
    return expiry is not None and expiry < time.time() + _SECONDS_TO_SPARE


def usable_token(given: str) -> str:
    """The token, or the content of the file of that name; empty if none was given."""
    token = given.strip()
    if not token:
        return ""
    path = _file_named(token)
    if path:
        token = _content(path)
    where = str(path) if path else "--api-token or COMMODORE_API_TOKEN"
    if not is_one_word(token):
        raise CommodoreError(
            "invalid API token: it must be printable ASCII characters without spaces", where=where
        )
    if has_expired(token):
        expiry = expiry_of(token) or 0
        since = datetime.fromtimestamp(max(expiry, 0), UTC).isoformat(sep=" ", timespec="seconds")
        raise TokenExpired(
            f"the API token has expired: it was valid until {since}",
            where=where,
            hint="get a new token",
        )
    return token


def _file_named(token: str) -> Path | None:
    try:
        return Path(token) if Path(token).is_file() else None
    except OSError:
        # Most tokens are too long for a file name.
        return None


def _content(path: Path) -> str:
    try:
        token = text_of(str(path), limit=_LARGEST).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommodoreError(
            f"cannot read the API token: {getattr(error, 'strerror', None) or 'not valid UTF-8'}",
            where=str(path),
        ) from error
    if not token:
        raise CommodoreError("the file with the API token is empty", where=str(path))
    return token
