"""What can go wrong with a request."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping


class HttpError(CommodoreError):
    """A request that failed, or whose response cannot be used."""

    status: int = 0
    """None without a response."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Those of a strict: some say when to come back."""
    answer: object = None
    """What a strict held, where that was JSON: its members say more than a status."""


class NotFound(HttpError):
    """The server knows nothing of that name."""


class ServerAway(HttpError):
    """There was no response, or one of a gateway: another attempt may help."""


class TooMany(HttpError):
    """The server wants to be asked less often: it did nothing, and may be asked again."""
