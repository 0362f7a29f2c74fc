"""URLs in their parts: a malformed one is an error with its text, not a failure of the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from commodore_py.adapters.masking import without_secrets

from .errors import HttpError

if TYPE_CHECKING:
    from urllib.parse import SplitResult


def split_url(url: str) -> SplitResult:
    """The parts of a URL, with a valid host and port."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port  # both are parsed on access
    except ValueError as error:
        raise _malformed(url, error) from error
    return parts


def join_url(base: str, reference: str) -> str:
    """The URL that a reference leads to."""
    try:
        return urljoin(base, reference)
    except ValueError as error:
        raise _malformed(reference, error) from error


def _malformed(url: str, error: ValueError) -> HttpError:
    return HttpError(f"not a valid URL: {error}", where=without_secrets(url), hint="correct it")
