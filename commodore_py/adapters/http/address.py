"""URLs: their parts, and where credentials and secrets may be sent."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from commodore_py.adapters.masking import without_secrets

from .errors import HttpError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_DEFAULT_PORTS = {"http": 80, "https": 443}


def split_url(url: str) -> SplitResult:
    """The parts of a URL, with a valid host and port."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port  # both are parsed on access
    except ValueError as error:
        raise _malformed(url, error) from error
    return parts


def join_url(base: str, reference: str) -> str:
    """The URL of a reference in a document at the base."""
    try:
        return urljoin(base, reference)
    except ValueError as error:
        raise _malformed(reference, error) from error


def is_private(url: str) -> bool:
    """Return whether the connection cannot be intercepted: https, or a server on this machine.

    OAUTHLIB_INSECURE_TRANSPORT lifts this, as it does for Commodore.
    """
    parts = split_url(url)
    if parts.scheme == "http":
        return bool(os.environ.get("OAUTHLIB_INSECURE_TRANSPORT")) or is_loopback(url)
    return parts.scheme == "https"


def is_loopback(url: str) -> bool:
    """Return whether the host of a URL is this machine."""
    host = split_url(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def same_server(url: str, other: str) -> bool:
    """Return whether credentials for a URL may be sent to the other: same server, or its https."""
    first, second = split_url(url), split_url(other)
    if first.hostname != second.hostname:
        return False
    if (first.scheme, second.scheme) == ("http", "https"):
        return True
    ports = {parts.port or _DEFAULT_PORTS.get(parts.scheme) for parts in (first, second)}
    return first.scheme == second.scheme and len(ports) == 1


def is_one_word(token: str) -> bool:
    """Return whether a token can be sent in a header; the error of a library would show it."""
    return bool(token) and token.isascii() and token.isprintable() and " " not in token


def _malformed(url: str, error: ValueError) -> HttpError:
    return HttpError(f"not a valid URL: {error}", where=without_secrets(url), hint="correct it")
