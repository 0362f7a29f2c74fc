"""OpenID Connect as a public client: requests to a provider, and the checks of its responses."""

from __future__ import annotations

import base64
import hashlib
import logging
import secrets
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from commodore_py.adapters import http
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import kind_of
from commodore_py.model.warning import FROM_EVERY_RUN

from .web_tokens import claims_of, expiry_of, is_one_word

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger(__name__)

SCOPE = "openid email profile"

_WELL_KNOWN = "/.well-known/openid-configuration"
_NEEDED = ("authorization_endpoint", "token_endpoint")
_CHECK_SETTINGS = (
    "check the settings of the login: --oidc-discovery-url (COMMODORE_OIDC_DISCOVERY_URL)"
    " and --oidc-client (COMMODORE_OIDC_CLIENT)"
)
_TRY_AGAIN = "log in again; if that fails, ask the administrator of the identity provider"


class LoginFailed(CommodoreError):
    """The login failed."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An identity provider, as its discovery document describes it."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    device_endpoint: str = ""
    sends_issuer: bool = False
    """Whether its authorization responses name the issuer (RFC 9207)."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The secrets of one login in a browser, which its response must match."""

    redirect_uri: str
    state: str
    nonce: str
    verifier: str

    @classmethod
    def fresh(cls, redirect_uri: str) -> Attempt:
        """New secrets."""
        return cls(redirect_uri, *(secrets.token_urlsafe(32) for _ in range(3)))

    @property
    def challenge(self) -> str:
        """The code challenge of the verifier (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def provider_at(discovery_url: str, *, timeout: float, strict: bool = False) -> Provider:
    """Read the discovery document, over a private connection only."""
    _require_https("the discovery URL of the identity provider", discovery_url)
    with requesting("reading the discovery document of the identity provider"):
        found = http.get_json(discovery_url, timeout=timeout)
    if not isinstance(found, dict):
        raise LoginFailed(
            f"expected a discovery document, the identity provider sent {kind_of(found)}",
            where=discovery_url,
            hint=_CHECK_SETTINGS,
        )
    missing = [key for key in _NEEDED if not _text(found, key)]
    if missing:
        raise LoginFailed(
            f"the provider's discovery document has no {' and '.join(missing)}",
            where=discovery_url,
            hint=f"check --oidc-discovery-url; it usually ends in {_WELL_KNOWN}",
        )
    provider = Provider(
        issuer=_text(found, "issuer"),
        authorization_endpoint=_text(found, "authorization_endpoint"),
        token_endpoint=_text(found, "token_endpoint"),
        device_endpoint=_text(found, "device_authorization_endpoint"),
        sends_issuer=found.get("authorization_response_iss_parameter_supported") is True,
    )
    for key in (*_NEEDED, "device_authorization_endpoint"):
        if found.get(key):
            _require_https(f"the provider's {key}", _text(found, key))
    _check_issuer(provider.issuer, discovery_url, strict=strict)
    return provider


def authorization_url(provider: Provider, client_id: str, attempt: Attempt) -> str:
    """The URL that the browser opens."""
    query = urlencode(
        {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": attempt.redirect_uri,
            "scope": SCOPE,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
    )
    separator = "&" if urlsplit(provider.authorization_endpoint).query else "?"
    return f"{provider.authorization_endpoint}{separator}{query}"


def code_in(query: Mapping[str, str], provider: Provider, attempt: Attempt) -> str:
    """The code in an authorization response, after checking that it belongs to this login."""
    # An error without a state is accepted: it can only end this login.
    if query.get("state", "") != attempt.state and ("error" not in query or "state" in query):
        raise LoginFailed(
            "the response in the browser does not belong to this login: its state differs",
            hint="close old login pages in the browser, and log in again",
        )
    if "error" in query:
        raise access_denied(query, where=provider.authorization_endpoint)
    sender = query.get("iss")
    if provider.issuer and (sender or provider.sends_issuer) and sender != provider.issuer:
        raise LoginFailed(
            "the response in the browser comes from another provider:"
            f" {printable(sender or 'unnamed')}",
            where=provider.issuer,
            hint=_TRY_AGAIN,
        )
    if not query.get("code"):
        raise LoginFailed(
            "the response in the browser has no code",
            where=provider.authorization_endpoint,
            hint=_TRY_AGAIN,
        )
    return query["code"]


def exchange(
    provider: Provider, client_id: str, code: str, attempt: Attempt, *, timeout: float, now: float
) -> dict[str, Any]:
    """Exchange a code for tokens, and check them."""
    fields = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": attempt.redirect_uri,
        "code_verifier": attempt.verifier,
    }
    response = request_tokens(provider, fields, timeout=timeout)
    return checked(response, provider, client_id, nonce=attempt.nonce, now=now)


def refresh(
    provider: Provider, client_id: str, refresh_token: str, *, timeout: float, now: float
) -> dict[str, Any]:
    """Exchange a refresh token for new tokens, and check them."""
    fields = {
        "grant_type": "refresh_token",
        "client_id": client_id,
        "refresh_token": refresh_token,
    }
    response = request_tokens(provider, fields, timeout=timeout)
    # A provider need not send a new refresh token each time.
    return {"refresh_token": refresh_token, **checked(response, provider, client_id, now=now)}


def request_tokens(provider: Provider, fields: Mapping[str, str], *, timeout: float) -> object:
    """The unchecked response of the token endpoint."""
    with requesting("requesting a token from the identity provider"):
        return http.post_form(provider.token_endpoint, fields, timeout=timeout)


@contextmanager
def requesting(doing: str) -> Iterator[None]:
    """Add to errors what was requested, and the settings to check."""
    try:
        yield
    except http.HttpError as error:
        error.add_note(f"while {doing}")
        # The hint about proxies is for providers that cannot be reached.
        more = f"{error.hint}; " if error.hint and not error.status else ""
        error.hint = f"{more}{_CHECK_SETTINGS}"
        raise


def checked(
    response: object, provider: Provider, client_id: str, *, nonce: str = "", now: float
) -> dict[str, Any]:
    """A response of the token endpoint with a token for this client, as it is stored."""
    # The signature is not verified: the token comes straight from the endpoint over TLS, which
    # OpenID Connect Core 1.0, section 3.1.3.7, allows. The API verifies it anyway.
    if not isinstance(response, dict):
        raise _malformed(provider, f"expected an object, found {kind_of(response)}")
    token = _text(response, "id_token")
    claims = claims_of(token) if is_one_word(token) else None
    if not token:
        raise _malformed(provider, "it has no id_token")
    if claims is None:
        raise _malformed(provider, "its id_token is not a JSON web token")
    if provider.issuer and claims.get("iss") != provider.issuer:
        raise _malformed(provider, f"its id_token comes from another issuer: {claims.get('iss')}")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if client_id not in audiences or claims.get("azp", client_id) != client_id:
        raise _malformed(provider, f"its id_token is not for {client_id}, but for {audience}")
    if nonce and claims.get("nonce") != nonce:
        raise _malformed(provider, "its id_token belongs to another login: the nonce differs")
    expiry = expiry_of(token)
    if expiry is None or expiry <= now:
        raise _malformed(
            provider,
            "its id_token has no expiry"
            if expiry is None
            else "its id_token has expired already; check the clock of this machine",
        )
    return _as_stored(response, now)


def error_code(error: http.HttpError) -> str:
    """The OAuth code of an error response; empty if it has none."""
    return _text(error.answer, "error") if isinstance(error.answer, dict) else ""


def access_denied(response: object, *, where: str) -> LoginFailed:
    """The error for a login that the user or the provider denied, with the reason."""
    found = response if isinstance(response, Mapping) else {}
    parts = (found.get(key) for key in ("error", "error_description"))
    reason = printable(": ".join(str(part) for part in parts if part) or "no reason given")
    return LoginFailed(
        f"the identity provider denied the login: {reason}",
        where=where,
        hint="log in again and consent there, or ask the administrator of the identity provider",
    )


def printable(text: str) -> str:
    """Text from outside, fit for a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)[:300]


def _as_stored(response: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The response in Commodore's form: scopes as a list, and the time of expiry."""
    stored = dict(response)
    if isinstance(stored.get("scope"), str):
        stored["scope"] = stored["scope"].split()
    try:
        stored["expires_at"] = int(now) + int(stored["expires_in"])
    except (KeyError, TypeError, ValueError, OverflowError):
        log.debug("the response of the token endpoint has no expiry")
    return stored


def _check_issuer(issuer: str, discovery_url: str, *, strict: bool) -> None:
    """Check that the issuer matches the address of the discovery document."""
    expected = discovery_url.removesuffix(_WELL_KNOWN)
    if expected == discovery_url or issuer.rstrip("/") == expected.rstrip("/"):
        return
    found = f"names another issuer: {printable(issuer)}" if issuer else "has no issuer"
    problem = f"the provider's discovery document {found}"
    if strict:
        raise LoginFailed(problem, where=discovery_url, hint=_CHECK_SETTINGS)
    log.warning("%s", problem, extra={**FROM_EVERY_RUN, "where": discovery_url})


def _require_https(what: str, url: str) -> None:
    if not http.is_private(url):
        raise LoginFailed(
            f"{what} does not use https",
            where=url,
            hint="only a provider on localhost may use http",
        )


def _malformed(provider: Provider, problem: str) -> LoginFailed:
    return LoginFailed(
        f"invalid response from the identity provider: {printable(problem)}",
        where=provider.token_endpoint,
        hint=_TRY_AGAIN,
    )


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""
