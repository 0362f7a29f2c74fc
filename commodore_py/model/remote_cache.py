"""The settings of a cache of results that machines share."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RemoteCache:
    """The address of the cache, whose results count, and what its own are signed with."""

    url: str
    trusted: tuple[str, ...] = ()
    """Public keys of writers, Ed25519 in base64."""
    signing_key: Path | None = None
    """A private key in PEM; without one, results are only read."""


def is_public_key(text: str) -> bool:
    """Whether a string is a public key as the settings have it."""
    try:
        return len(base64.b64decode(text, validate=True)) == 32  # noqa: PLR2004 - of Ed25519
    except binascii.Error:
        return False
