"""OAuth 2.0 and OpenID Connect as a public client, on Authlib."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import REDACTOR

from . import json_of
from .errors import HttpError, read_whole, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests
    from authlib.integrations.requests_client import OAuth2Session

_FINE = range(200, 300)
_SCOPE = "openid email profile"
_CLOCK_SKEW = 60
"""Seconds by which the clocks of a provider and of this machine may differ."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The secrets of one login in a browser, which its response must match."""

    redirect_uri: str
    url: str = field(repr=False)
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Client:
    """A client of a provider that has no secret."""

    client_id: str
    token_endpoint: str
    timeout: float

    def attempt(self, authorization_endpoint: str, redirect_uri: str) -> Attempt:
        """Begin a login in a browser: its URL, with a challenge for the code (RFC 7636)."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        url, _ = self._session().create_authorization_url(
            authorization_endpoint,
            state,
            verifier,
            redirect_uri=redirect_uri,
            scope=_SCOPE,
            nonce=nonce,
        )
        return Attempt(redirect_uri, url, state, nonce, verifier)

    def device_fields(self) -> dict[str, str]:
        """The fields of a request for a login on another device (RFC 8628)."""
        return {"client_id": self.client_id, "scope": _SCOPE}

    def tokens(self, grant_type: str, **fields: str) -> dict[str, Any]:
        """The unchecked tokens for a grant."""
        from authlib.common.errors import AuthlibBaseError  # slow to import, like the session

        from .session import translating

        REDACTOR.learn(*(text for name, text in fields.items() if name != "redirect_uri"))
        session, url = self._session(), self.token_endpoint
        sending = {"timeout": self.timeout, "stream": True, "allow_redirects": False}
        try:
            with translating(url, self.timeout):
                if grant_type == "refresh_token":
                    return dict(session.refresh_token(url, **fields, **sending))
                return dict(session.fetch_token(url, grant_type=grant_type, **fields, **sending))
        except (AuthlibBaseError, ValueError, TypeError, OverflowError) as error:
            raise HttpError(f"sent unusable tokens: {error}", where=url) from error

    def _session(self) -> OAuth2Session:
        from authlib.integrations.requests_client import OAuth2Session

        from .session import Watch, authorities, limit

        session = OAuth2Session(self.client_id, code_challenge_method="S256")
        limit(session, Watch(self.token_endpoint, "request"))
        session.verify = authorities(verify=True)
        for hook in ("access_token_response", "refresh_token_response"):
            session.register_compliance_hook(hook, self._read)
        return session

    def _read(self, response: requests.Response) -> requests.Response:
        """Read a response within limits, and raise the error that it reports."""
        read_whole(response, self.token_endpoint)
        if response.status_code not in _FINE:
            raise refused(self.token_endpoint, response)
        if not isinstance(json_of(response, self.token_endpoint), dict):
            raise HttpError("answered with no object", where=self.token_endpoint)
        return response


def problem_of(claims: Mapping[str, Any], *, issuer: str, client_id: str, nonce: str) -> str:
    """Why the claims of an identity token are not those for this client; empty if they are."""
    from joserfc.errors import ClaimError, ExpiredTokenError
    from joserfc.jwt import JWTClaimsRegistry

    options: dict[str, Any] = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": client_id},
        "azp": {"value": client_id},
        "exp": {"essential": True},
    }
    if nonce:
        options["nonce"] = {"essential": True, "value": nonce}
    try:
        JWTClaimsRegistry(leeway=_CLOCK_SKEW, **options).validate(dict(claims))
    except ExpiredTokenError:
        return "has expired already; check the clock of this machine"
    except ClaimError as error:
        value = claims.get(error.claim)
        return f"is not for this login: {error.description}" + (f", {value}" if value else "")
    return ""
