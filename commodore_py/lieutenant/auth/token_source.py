"""The token for an API: given, cached, refreshed, or obtained by a login."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.errors import CommodoreError
from commodore_py.model.warning import FROM_EVERY_RUN

from .web_tokens import TokenExpired, has_expired, is_one_word, usable_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.config import Config

    from .login import Settings, Way
    from .oidc import Provider
    from .token_cache import Session, TokenCache

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


class TokenSource(NamedTuple):
    """Gets a token for one API; called before each use, as tokens expire."""

    api_url: str
    given: str = ""
    client_id: str = ""
    discovery_url: str = ""
    listen: str = ""
    login_timeout: float = 300
    request_timeout: float = 5
    strict: bool = False
    device: bool = False
    """Whether to log in on another device, even if there is a browser."""
    must_store: bool = False
    """Whether it is an error if the token cannot be stored for other runs."""
    now: Callable[[], float] = time.time

    def __repr__(self) -> str:
        return f"TokenSource({self.api_url!r})"  # without the token

    @classmethod
    def of(cls, config: Config) -> TokenSource:
        """The source for the API of a configuration."""
        return cls(
            config.api_url,
            config.api_token,
            client_id=config.oidc_client,
            discovery_url=config.oidc_discovery_url,
            listen=config.oidc_listen,
            login_timeout=config.login_timeout,
            request_timeout=config.request_timeout,
            strict=config.strict,
        )

    def without_login(self) -> str:
        """The token given or a valid cached one; empty if there is none. Sends no request."""
        try:
            token = usable_token(self.given, now=self.now())
        except TokenExpired as error:
            log.warning(
                "%s; using a cached token or a login instead",
                error,
                extra={**FROM_EVERY_RUN, "where": error.where},
            )
            token = ""
        return token or self._cached()

    def token(self) -> str:
        """A valid token, by a login if needed and possible."""
        token = self.without_login()
        if token:
            return token
        from . import oidc  # only if there is no token yet
        from .login import Way

        way = self._way()
        if way is Way.NONE and not any(session.refresh_token for session in self._sessions()):
            raise self._no_login_here()
        settings = self._settings()
        provider = oidc.provider_at(
            settings.discovery_url, timeout=self.request_timeout, strict=self.strict
        )
        token = self._refreshed(provider, settings.client_id)
        if token:
            return token
        if way is Way.NONE:
            raise self._no_login_here()
        return self._from_login(provider, settings.client_id, way)

    def forget(self) -> bool:
        """Remove the cached token of this API; False if there was none."""
        cache = _cache()
        with cache.locked():
            return cache.forget(self.api_url)

    def _sessions(self) -> tuple[Session, ...]:
        return _cache().sessions(self.api_url) if self.api_url else ()

    def _cached(self) -> str:
        tokens = (session.id_token for session in self._sessions())
        return next((t for t in tokens if t and self._is_valid(t)), "")

    def _is_valid(self, token: str) -> bool:
        return is_one_word(token) and not has_expired(token, self.now())

    def _refreshed(self, provider: Provider, client_id: str) -> str:
        """A token for the refresh token of an earlier login; empty if that fails."""
        if not self.api_url:
            return ""
        cache = _cache()
        with cache.locked():
            # Another run may have refreshed it while this one waited for the lock.
            token = self._cached()
            if token:
                return token
            refresh_tokens = (session.refresh_token for session in self._sessions())
            for refresh_token in dict.fromkeys(filter(None, refresh_tokens)):
                response = self._refresh(provider, client_id, refresh_token)
                if response:
                    self._store(cache, response)
                    return str(response["id_token"])
        return ""

    def _refresh(
        self, provider: Provider, client_id: str, refresh_token: str
    ) -> dict[str, Any] | None:
        from . import oidc

        timeout, now = self.request_timeout, self.now()
        try:
            return oidc.refresh(provider, client_id, refresh_token, timeout=timeout, now=now)
        except CommodoreError as error:
            log.warning(
                "cannot refresh the session: %s",
                error,
                extra={**FROM_EVERY_RUN, "where": error.where},
            )
            return None

    def _from_login(self, provider: Provider, client_id: str, way: Way) -> str:
        from .login import Login, log_in

        login = Login(way, self.listen, self.login_timeout, self.request_timeout, self.now)
        response = log_in(provider, client_id, login)
        if self.api_url:
            cache = _cache()
            with cache.locked():
                self._store(cache, response)
        return str(response["id_token"])

    def _way(self) -> Way:
        from .login import Way, way_here

        return Way.DEVICE if self.device else way_here(listen=self.listen)

    def _no_login_here(self) -> NoToken:
        error = NoToken.for_api(self.api_url)
        error.add_note(
            "interactive login is not possible: this is a CI run, or there is no terminal"
        )
        return error

    def _settings(self) -> Settings:
        from .login import settings_of  # only if there is no token

        return settings_of(
            self.api_url, self.client_id, self.discovery_url, timeout=self.request_timeout
        )

    def _store(self, cache: TokenCache, response: dict[str, Any]) -> None:
        try:
            cache.store(self.api_url, response)
        except CommodoreError as error:
            if self.must_store:
                raise
            # The token is valid anyway; only the next run has to get another.
            log.warning(
                "%s", error, extra={**FROM_EVERY_RUN, "where": error.where, "hint": error.hint}
            )


def _cache() -> TokenCache:
    # Not needed where a token is given.
    from commodore_py.adapters.desktop import cache_folder

    from .token_cache import TokenCache

    return TokenCache(cache_folder() / "token")
