"""The token that the API is asked with: given, kept, renewed, or got by logging in."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.desktop import cache_folder
from commodore_py.errors import CommodoreError

from .claims import expiry_of, has_expired, is_one_word
from .token_cache import TokenCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from .login import Settings, Way
    from .oidc import Provider
    from .token_cache import Session

log = logging.getLogger(__name__)

_HOW_TO_GIVE_ONE = (
    "log in with `commodore login`, or give a token, or the name of a file that holds one, with"
    " --api-token or COMMODORE_API_TOKEN; a folder of cluster facts (--api-url ./facts) needs none"
)


class NoToken(CommodoreError):
    """The API cannot be asked without a token."""

    @classmethod
    def for_api(cls, api_url: str) -> NoToken:
        """Name the API and every way to go on."""
        hint = _HOW_TO_GIVE_ONE
        if api_url and "://" not in api_url and Path(api_url).is_dir():
            hint = f"to read cluster facts from the folder {api_url}, write ./{api_url}"
        return cls("no token for the API", where=api_url, hint=hint)


class TokenExpired(CommodoreError):
    """The token given is of no use any more."""


@dataclass(frozen=True, slots=True)
class TokenSource:
    """Where the token for one API comes from; asked anew before each use, as tokens expire."""

    api_url: str
    given: str = field(default="", repr=False)
    client_id: str = ""
    discovery_url: str = ""
    listen: str = ""
    login_timeout: float = 300
    request_timeout: float = 5
    strict: bool = False
    device: bool = False
    """Whether to log in on another device, whatever there is here."""
    must_keep: bool = False
    """Whether a token is of no use that cannot be kept for other runs."""
    now: Callable[[], float] = time.time

    def at_hand(self) -> str:
        """The token given or kept, without asking anybody; empty when there is none."""
        try:
            token = usable_token(self.given, now=self.now())
        except TokenExpired as error:
            log.warning(
                "%s; a kept one, or a login, takes its place", error, extra={"where": error.where}
            )
            token = ""
        return token or self._kept()

    def token(self) -> str:
        """A token that is good now; if need be of a login, where somebody can log in."""
        token = self.at_hand()
        if token:
            return token
        from . import oidc  # noqa: PLC0415 - only when no token is at hand
        from .login import Way  # noqa: PLC0415

        way = self._way()
        if way is Way.NOT and not any(session.refresh_token for session in self._sessions()):
            raise self._nobody_there()
        settings = self._settings()
        provider = oidc.provider_at(
            settings.discovery_url, timeout=self.request_timeout, strict=self.strict
        )
        token = self._renewed(provider, settings.client_id)
        if token:
            return token
        if way is Way.NOT:
            raise self._nobody_there()
        return self._from_login(provider, settings.client_id, way)

    def forget(self) -> bool:
        """Remove what is kept for this API; False when there was nothing."""
        cache = _cache()
        with cache.locked():
            return cache.forget(self.api_url)

    def _sessions(self) -> tuple[Session, ...]:
        return _cache().sessions(self.api_url) if self.api_url else ()

    def _kept(self) -> str:
        tokens = (session.id_token for session in self._sessions())
        return next((t for t in tokens if t and self._is_good(t)), "")

    def _is_good(self, token: str) -> bool:
        return is_one_word(token) and not has_expired(token, self.now())

    def _renewed(self, provider: Provider, client_id: str) -> str:
        """A token for the refresh token of an earlier login; empty when it brings none."""
        if not self.api_url:
            return ""
        cache = _cache()
        with cache.locked():
            # Another run may have renewed it while this one waited for the lock.
            token = self._kept()
            if token:
                return token
            refresh_tokens = (session.refresh_token for session in self._sessions())
            for refresh_token in dict.fromkeys(filter(None, refresh_tokens)):
                answer = self._renew(provider, client_id, refresh_token)
                if answer:
                    self._keep(cache, answer)
                    return str(answer["id_token"])
        return ""

    def _renew(
        self, provider: Provider, client_id: str, refresh_token: str
    ) -> dict[str, Any] | None:
        from . import oidc  # noqa: PLC0415 - as above

        timeout, now = self.request_timeout, self.now()
        try:
            return oidc.renew(provider, client_id, refresh_token, timeout=timeout, now=now)
        except CommodoreError as error:
            log.warning("the session cannot be renewed: %s", error, extra={"where": error.where})
            return None

    def _from_login(self, provider: Provider, client_id: str, way: Way) -> str:
        from .login import Login, log_in  # noqa: PLC0415 - as above

        login = Login(way, self.listen, self.login_timeout, self.request_timeout, self.now)
        answer = log_in(provider, client_id, login)
        if self.api_url:
            cache = _cache()
            with cache.locked():
                self._keep(cache, answer)
        return str(answer["id_token"])

    def _way(self) -> Way:
        from .login import Way, way_here  # noqa: PLC0415 - as above

        return Way.DEVICE if self.device else way_here(listen=self.listen)

    def _nobody_there(self) -> NoToken:
        error = NoToken.for_api(self.api_url)
        error.add_note("nobody can be asked to log in: this is a CI run, or has no terminal")
        return error

    def _settings(self) -> Settings:
        from .login import settings_of  # noqa: PLC0415 - only when there is no token

        return settings_of(
            self.api_url, self.client_id, self.discovery_url, timeout=self.request_timeout
        )

    def _keep(self, cache: TokenCache, answer: dict[str, Any]) -> None:
        try:
            cache.keep(self.api_url, answer)
        except CommodoreError as error:
            if self.must_keep:
                raise
            # The token is good all the same: only the next run has to get another.
            log.warning("%s", error, extra={"where": error.where, "hint": error.hint})


def _cache() -> TokenCache:
    return TokenCache(cache_folder() / "token")


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
    if not is_one_word(token):
        raise CommodoreError(
            "the API token is not one word of printable ASCII characters", where=where
        )
    if has_expired(token, now):
        expiry = expiry_of(token) or 0
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
