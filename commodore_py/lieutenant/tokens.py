"""The token that the API is asked with: given, or in a file; none that has expired."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

from commodore_py.errors import CommodoreError

_HOW_TO_GIVE_ONE = (
    "give a token, or the name of a file that holds one, with --api-token or COMMODORE_API_TOKEN;"
    " a folder of cluster facts (--api-url ./facts) needs none"
)
_SECONDS_TO_SPARE = 10


class NoToken(CommodoreError):
    """The API cannot be asked without a token."""

    @classmethod
    def for_api(cls, api_url: str) -> NoToken:
        """Name the API and every way to go on."""
        hint = _HOW_TO_GIVE_ONE
        if "://" not in api_url and Path(api_url).is_dir():
            hint = f"to read cluster facts from the folder {api_url}, write ./{api_url}"
        return cls("no token for the API", where=api_url, hint=hint)


class TokenExpired(CommodoreError):
    """The token given is of no use any more."""


def usable_token(given: str, *, now: float) -> str:
    """The token itself, or what the file of that name holds; empty when none was given."""
    token = given.strip()
    if not token:
        return ""
    path = _file_named(token)
    if path:
        token = _content(path)
    where = str(path) if path else "--api-token or COMMODORE_API_TOKEN"
    # Said here and without the token, as whoever builds the header would quote it.
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise CommodoreError(
            "the API token is not one word of printable ASCII characters", where=where
        )
    expiry = _expiry(token)
    if expiry is not None and expiry < now + _SECONDS_TO_SPARE:
        since = datetime.fromtimestamp(max(expiry, 0), UTC).isoformat(sep=" ", timespec="seconds")
        raise TokenExpired(
            f"the API token has expired: it was good until {since}", where=where, hint="get another"
        )
    return token


def _file_named(token: str) -> Path | None:
    try:
        return Path(token) if Path(token).is_file() else None
    except OSError:
        # Most tokens are longer than a file's name may be.
        return None


def _content(path: Path) -> str:
    try:
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommodoreError(
            f"cannot read the API token: {getattr(error, 'strerror', None) or 'not a text'}",
            where=str(path),
        ) from error
    if not token:
        raise CommodoreError("the file of the API token is empty", where=str(path))
    return token


def _expiry(token: str) -> float | None:
    """When a JSON web token expires, as far as one can be read from it."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims, signature
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    expiry = claims.get("exp") if isinstance(claims, dict) else None
    return float(expiry) if isinstance(expiry, int | float) else None
