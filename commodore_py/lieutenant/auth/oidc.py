"""OpenID Connect as a public client: what is asked of a provider, and what answers must hold."""

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
from commodore_py.lieutenant.described import kind_of

from .claims import claims_of, expiry_of, is_one_word

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
_TRY_AGAIN = "log in once more; if it happens again, ask whoever runs the identity provider"


class LoginFailed(CommodoreError):
    """Nobody was logged in."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An identity provider, as its discovery document describes it."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    device_endpoint: str = ""
    signs_arrivals: bool = False
    """Whether it says who it is in the answer that comes by way of the browser (RFC 9207)."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The secrets of one login in a browser: nobody else's answer fits them."""

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
        """What the provider may know of the verifier (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def provider_at(discovery_url: str, *, timeout: float, strict: bool = False) -> Provider:
    """Read a discovery document; whoever could change it on its way could read the tokens."""
    _insist_on_privacy("the discovery URL of the identity provider", discovery_url)
    with asking("asking the identity provider how to log in"):
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
            f"the provider's discovery document lacks {' and '.join(missing)}",
            where=discovery_url,
            hint=f"check --oidc-discovery-url; it usually ends in {_WELL_KNOWN}",
        )
    provider = Provider(
        issuer=_text(found, "issuer"),
        authorization_endpoint=_text(found, "authorization_endpoint"),
        token_endpoint=_text(found, "token_endpoint"),
        device_endpoint=_text(found, "device_authorization_endpoint"),
        signs_arrivals=found.get("authorization_response_iss_parameter_supported") is True,
    )
    for key in (*_NEEDED, "device_authorization_endpoint"):
        if found.get(key):
            _insist_on_privacy(f"the provider's {key}", _text(found, key))
    _check_issuer(provider.issuer, discovery_url, strict=strict)
    return provider


def authorization_url(provider: Provider, client_id: str, attempt: Attempt) -> str:
    """Where the browser is sent."""
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
    joint = "&" if urlsplit(provider.authorization_endpoint).query else "?"
    return f"{provider.authorization_endpoint}{joint}{query}"


def code_in(query: Mapping[str, str], provider: Provider, attempt: Attempt) -> str:
    """The code that the browser brought, once it is certain that it belongs to this login."""
    # A refusal without state is taken at its word: it can end this login, and nothing more.
    if query.get("state", "") != attempt.state and ("error" not in query or "state" in query):
        raise LoginFailed(
            "the answer in the browser does not belong to this login: its state is another",
            hint="close old login pages in the browser, and log in once more",
        )
    if "error" in query:
        raise refused(query, where=provider.authorization_endpoint)
    sender = query.get("iss")
    if provider.issuer and (sender or provider.signs_arrivals) and sender != provider.issuer:
        raise LoginFailed(
            f"the answer in the browser is of another provider: {printable(sender or 'unnamed')}",
            where=provider.issuer,
            hint=_TRY_AGAIN,
        )
    if not query.get("code"):
        raise LoginFailed(
            "the answer in the browser holds no code",
            where=provider.authorization_endpoint,
            hint=_TRY_AGAIN,
        )
    return query["code"]


def exchange(
    provider: Provider, client_id: str, code: str, attempt: Attempt, *, timeout: float, now: float
) -> dict[str, Any]:
    """Tokens for a code, checked."""
    fields = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": attempt.redirect_uri,
        "code_verifier": attempt.verifier,
    }
    answer = ask_for_tokens(provider, fields, timeout=timeout)
    return checked(answer, provider, client_id, nonce=attempt.nonce, now=now)


def renew(
    provider: Provider, client_id: str, refresh_token: str, *, timeout: float, now: float
) -> dict[str, Any]:
    """New tokens for an old session, checked; what kind of token a refresh token is, is open."""
    fields = {
        "grant_type": "refresh_token",
        "client_id": client_id,
        "refresh_token": refresh_token,
    }
    answer = ask_for_tokens(provider, fields, timeout=timeout)
    kept = {"refresh_token": refresh_token}  # a provider need not send a new one each time
    return {**kept, **checked(answer, provider, client_id, now=now)}


def ask_for_tokens(provider: Provider, fields: Mapping[str, str], *, timeout: float) -> object:
    """What the token endpoint answers, unchecked."""
    with asking("asking the identity provider for a token"):
        return http.post_form(provider.token_endpoint, fields, timeout=timeout)


@contextmanager
def asking(doing: str) -> Iterator[None]:
    """Say in errors what the provider was asked for, and which settings lead to it."""
    try:
        yield
    except http.HttpError as error:
        error.add_note(f"while {doing}")
        # Whoever cannot be reached may be behind a proxy; whoever refuses is, or is not, the one.
        more = f"{error.hint}; " if error.hint and not error.status else ""
        error.hint = f"{more}{_CHECK_SETTINGS}"
        raise


def checked(
    answer: object, provider: Provider, client_id: str, *, nonce: str = "", now: float
) -> dict[str, Any]:
    """An answer of the token endpoint that holds a token for us, in the form that is kept."""
    # The signature is not verified: the token comes straight from the endpoint over TLS, which
    # OpenID Connect Core 1.0, section 3.1.3.7, takes for enough. The API verifies it anyway.
    if not isinstance(answer, dict):
        raise _malformed(provider, f"expected an object, found {kind_of(answer)}")
    token = _text(answer, "id_token")
    claims = claims_of(token) if is_one_word(token) else None
    if not token:
        raise _malformed(provider, "it holds no id_token")
    if claims is None:
        raise _malformed(provider, "its id_token is no JSON web token")
    if provider.issuer and claims.get("iss") != provider.issuer:
        raise _malformed(provider, f"its id_token is of another issuer: {claims.get('iss')}")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if client_id not in audiences or claims.get("azp", client_id) != client_id:
        raise _malformed(provider, f"its id_token is not for {client_id}, but for {audience}")
    if nonce and claims.get("nonce") != nonce:
        raise _malformed(provider, "its id_token is of another login: the nonce differs")
    expiry = expiry_of(token)
    if expiry is None or expiry <= now:
        raise _malformed(
            provider,
            "its id_token does not say how long it is good"
            if expiry is None
            else "its id_token has expired already; check the clock of this machine",
        )
    return _as_kept(answer, now)


def refusal_in(error: http.HttpError) -> str:
    """The code of a refusal in OAuth's words; empty when it is something else."""
    return _text(error.answer, "error") if isinstance(error.answer, dict) else ""


def refused(answer: object, *, where: str) -> LoginFailed:
    """A refusal, with what is said about it; by the person, or by the provider."""
    found = answer if isinstance(answer, Mapping) else {}
    parts = (found.get(key) for key in ("error", "error_description"))
    said = printable(": ".join(str(part) for part in parts if part) or "without a reason")
    return LoginFailed(
        f"the identity provider refused: {said}",
        where=where,
        hint="log in once more and agree there, or ask whoever runs the identity provider",
    )


def printable(text: str) -> str:
    """Text from outside, fit for a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)[:300]


def _as_kept(answer: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The peer's form of the answer: scopes as a list, and the time of expiry."""
    kept = dict(answer)
    if isinstance(kept.get("scope"), str):
        kept["scope"] = kept["scope"].split()
    try:
        kept["expires_at"] = int(now) + int(kept["expires_in"])
    except (KeyError, TypeError, ValueError, OverflowError):
        log.debug("the answer of the token endpoint does not say how long it is good")
    return kept


def _check_issuer(issuer: str, discovery_url: str, *, strict: bool) -> None:
    """A document speaks for the provider at whose address it lies, and for no other."""
    expected = discovery_url.removesuffix(_WELL_KNOWN)
    if expected == discovery_url or issuer.rstrip("/") == expected.rstrip("/"):
        return
    said = f"names another issuer: {printable(issuer)}" if issuer else "names no issuer"
    problem = f"the provider's discovery document {said}"
    if strict:
        raise LoginFailed(problem, where=discovery_url, hint=_CHECK_SETTINGS)
    log.warning("%s", problem, extra={"where": discovery_url})


def _insist_on_privacy(what: str, url: str) -> None:
    if not http.is_private(url):
        raise LoginFailed(
            f"{what} is not https",
            where=url,
            hint="only a provider on this very machine (localhost) may do without",
        )


def _malformed(provider: Provider, problem: str) -> LoginFailed:
    return LoginFailed(
        f"the answer of the identity provider is of no use: {printable(problem)}",
        where=provider.token_endpoint,
        hint=_TRY_AGAIN,
    )


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""
