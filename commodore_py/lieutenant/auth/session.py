"""The token for an API: given, stored, refreshed, or obtained by a login."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http.address import is_one_word
from commodore_py.config import facts_folder, user_folder
from commodore_py.errors import CommodoreError, doing

from .token_cache import TokenCache
from .tokens import TokenExpired, expiry_of, has_expired, usable_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config

    from .provider import Provider

log = logging.getLogger(__name__)

_HOW_TO_AUTHENTICATE = (
    "log in with `commodore login`, or give a token, or the name of a file that holds one, with"
    " --api-token or COMMODORE_API_TOKEN; a folder of cluster facts (--api-url ./facts) needs none"
)


class NoToken(CommodoreError):
    """A token for the API is missing and cannot be obtained."""

    @classmethod
    def for_api(cls, api_url: str) -> NoToken:
        """The error with a hint on every way to authenticate."""
        hint = _HOW_TO_AUTHENTICATE
        if api_url and "://" not in api_url and Path(api_url).is_dir():
            hint = f"to read cluster facts from the folder {api_url}, write ./{api_url}"
        return cls("no token for the API", where=api_url, hint=hint)


def log_in(config: Config, *, device: bool = False) -> str:
    """Store a valid token for the API, by a login if needed, and return it.

    Without an API URL nothing is stored, and the login needs its own settings.
    """
    with doing("logging in"):
        if config.api_url:
            _require_server(config.api_url)
        return token_for(config, device=device, must_store=True)


def fetch_token(config: Config, *, device: bool = False) -> str:
    """A valid token for the API, by a login if needed."""
    with doing("getting a token"):
        _require_server(config.api_url)
        return token_for(config, device=device)


def log_out(config: Config) -> bool:
    """Remove the stored token of the API; False if there was none."""
    with doing("logging out"):
        _require_server(config.api_url)
        cache = _cache()
        with cache.locked():
            return cache.forget(config.api_url)


def token_without_login(config: Config) -> str:
    """The token given or a valid stored one; empty if there is none. Sends no request."""
    try:
        token = usable_token(config.api_token)
    except TokenExpired as error:
        problem = "%s; using a cached token or a login instead"
        log.warning(problem, error, extra={"where": error.where})
        token = ""
    return token or _stored(config.api_url)


def token_for(config: Config, *, device: bool = False, must_store: bool = False) -> str:
    """A valid token for the API, by a login if needed and possible.

    `device` is for a login on another device, even if there is a browser; `must_store` makes it an
    error if the token cannot be stored for other runs.
    """
    token = token_without_login(config)
    if token:
        return token
    from .login import Way, way_here  # a web server and more: most runs have a token
    from .login import log_in as log_in_at
    from .provider import Provider

    api_url, way = config.api_url, Way.DEVICE if device else way_here(listen=config.oidc_listen)
    cannot_log_in = NoToken.for_api(api_url)
    cannot_log_in.add_note(
        "interactive login is not possible: this is a CI run, or there is no terminal"
    )
    if way is Way.NONE and not (api_url and any(_cache().texts(api_url, "refresh_token"))):
        raise cannot_log_in
    provider = Provider.of(config)
    if not api_url:
        return str(log_in_at(provider, way, config)["id_token"])
    cache = _cache()
    with cache.locked():
        # Another run may have refreshed it while this one waited for the lock.
        token = _stored(api_url)
        tokens = None if token else _refreshed(provider, cache.entries(api_url))
        if tokens:
            _store(cache, api_url, tokens, must_store=must_store)
    if tokens is None and not token:
        if way is Way.NONE:
            raise cannot_log_in
        tokens = log_in_at(provider, way, config)
        with cache.locked():
            _store(cache, api_url, tokens, must_store=must_store)
    return str(tokens["id_token"]) if tokens else token


def _refreshed(provider: Provider, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    for entry in entries:
        refresh_token = entry.get("refresh_token")
        if not refresh_token or not isinstance(refresh_token, str):
            continue
        if not provider.issued(entry):
            log.warning(
                "the saved session is of another identity provider than %s",
                provider.discovery_url,
            )
            continue
        try:
            return provider.tokens("refresh_token", refresh_token=refresh_token)
        except CommodoreError as error:
            problem, extra = "cannot refresh the session: %s", {"where": error.where}
            log.warning(problem, error, extra=extra)
    return None


def _store(cache: TokenCache, api_url: str, tokens: dict[str, Any], *, must_store: bool) -> None:
    try:
        cache.store(api_url, tokens)
    except CommodoreError as error:
        if must_store:
            raise
        # The token is valid anyway; only the next run has to get another.
        extra = {"where": error.where, "hint": error.hint}
        log.warning("%s", error, extra=extra)


def _stored(api_url: str) -> str:
    tokens = _cache().texts(api_url, "id_token") if api_url else ()
    return next((t for t in tokens if is_one_word(t) and not has_expired(t)), "")


def _cache() -> TokenCache:
    folder = user_folder("XDG_CACHE_HOME", ".cache")
    if folder is None:
        raise CommodoreError(
            "there is no home directory to keep tokens in", hint="set HOME, or XDG_CACHE_HOME"
        )
    return TokenCache(folder / "token")


def _require_server(api_url: str) -> None:
    if not api_url:
        raise CommodoreError(
            "no API URL",
            hint="set --api-url or COMMODORE_API_URL to a Lieutenant API; a folder of cluster facts"
            " needs no login",
        )
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
        """True if it may be sent at all."""
        return bool(self.text) and not self.has_expired and not self.problem


def token_state(config: Config, cache: Path | None) -> TokenState:
    """The state of the token given, or else of the stored one; sends no request."""
    if not config.api_url or facts_folder(config.api_url) is not None:
        return TokenState()
    try:
        given = usable_token(config.api_token)
        tokens = TokenCache(cache / "token") if cache else None
        stored = tokens.texts(config.api_url, "id_token") if tokens and not given else ()
    except CommodoreError as error:
        return TokenState(needed=True, origin="given", problem=error)
    token = given or next(iter(stored), "")
    return TokenState(
        needed=True,
        origin="given" if given else "cached" if token else "",
        expiry=expiry_of(token),
        has_expired=has_expired(token),
        renewable=bool(tokens and not given and tokens.texts(config.api_url, "refresh_token")),
        text=token,
    )
