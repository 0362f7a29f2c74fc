"""Log in, log out, and the state of the token, for one API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError, doing
from commodore_py.lieutenant.urls import HOW_TO_SET_A_URL

from .token_cache import TokenCache
from .token_source import TokenSource
from .web_tokens import expiry_of, has_expired, usable_token

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


def log_in(config: Config, *, device: bool = False) -> str:
    """Store a valid token for the API, by a login if needed, and return it.

    Without an API URL nothing is stored, and the login needs its own settings.
    """
    with doing("logging in"):
        if config.api_url:
            _require_server(config.api_url)
        return TokenSource.of(config)._replace(device=device, must_store=True).token()


def fetch_token(config: Config, *, device: bool = False) -> str:
    """A valid token for the API, by a login if needed."""
    with doing("getting a token"):
        _require_server(config.api_url)
        return TokenSource.of(config)._replace(device=device).token()


def log_out(config: Config) -> bool:
    """Remove the cached token of the API; False if there was none."""
    with doing("logging out"):
        _require_server(config.api_url)
        return TokenSource.of(config).forget()


def _require_server(api_url: str) -> None:
    if not api_url:
        raise CommodoreError("no API URL", hint=HOW_TO_SET_A_URL)
    if facts_folder(api_url) is not None:
        raise CommodoreError(
            "a folder of cluster facts needs no token",
            where=api_url,
            hint="use it without a login; to log in, set --api-url to a Lieutenant API",
        )


@dataclass(frozen=True, slots=True)
class TokenState:
    """The token that would be sent, without being shown."""

    needed: bool = False
    origin: str = ""
    """`given` or `cached`; empty when there is none."""
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
    """The state of the token given, or else of the cached one; sends no request."""
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
    return _cached(TokenCache(cache / "token"), config.api_url, now)


def _cached(cache: TokenCache, api_url: str, now: float) -> TokenState:
    try:
        sessions = [one for one in cache.sessions(api_url) if one.id_token]
    except CommodoreError:  # an invalid URL, reported by the check of the API
        sessions = []
    if not sessions:
        return TokenState(needed=True)
    session = sessions[0]
    return TokenState(
        needed=True,
        origin="cached",
        expiry=expiry_of(session.id_token),
        has_expired=has_expired(session.id_token, now),
        renewable=bool(session.refresh_token),
        text=session.id_token,
    )
