"""The token that would be sent: where it is from and whether it is good, asking nobody."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.urls import facts_folder

from .claims import expiry_of, has_expired
from .token_cache import TokenCache
from .tokens import usable_token

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


@dataclass(frozen=True, slots=True)
class TokenState:
    """The token that would be sent, without being shown."""

    needed: bool = False
    origin: str = ""
    """`given` or `kept`; empty when there is none."""
    expiry: float | None = None
    has_expired: bool = False
    renewable: bool = False
    problem: CommodoreError | None = None
    text: str = field(default="", repr=False)

    @property
    def is_good(self) -> bool:
        """Whether it may be sent at all."""
        return bool(self.text) and not self.has_expired and not self.problem


def token_state(config: Config, cache: Path | None, now: float) -> TokenState:
    """The token given, or else the one of an earlier login."""
    if not config.api_url or facts_folder(config.api_url) is not None:
        return TokenState()
    try:
        given = usable_token(config.api_token, now=now)
    except CommodoreError as error:
        return TokenState(needed=True, origin="given", problem=error)
    if given:
        return TokenState(needed=True, origin="given", expiry=expiry_of(given), text=given)
    if cache is None:
        return TokenState(needed=True)
    return _kept(TokenCache(cache / "token"), config.api_url, now)


def _kept(cache: TokenCache, api_url: str, now: float) -> TokenState:
    try:
        sessions = [one for one in cache.sessions(api_url) if one.id_token]
    except CommodoreError:  # a URL that is none: told where the API is looked at
        sessions = []
    if not sessions:
        return TokenState(needed=True)
    session = sessions[0]
    return TokenState(
        needed=True,
        origin="kept",
        expiry=expiry_of(session.id_token),
        has_expired=has_expired(session.id_token, now),
        renewable=bool(session.refresh_token),
        text=session.id_token,
    )
