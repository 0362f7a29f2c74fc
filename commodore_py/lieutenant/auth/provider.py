"""An identity provider: where it is, and the checks of its responses."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import http
from commodore_py.adapters.http import oauth
from commodore_py.adapters.http.address import is_one_word
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.urls import base_url
from commodore_py.manifests.objects import mapping, text
from commodore_py.model.names import kind_of

from .tokens import claims_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.config import Config

log = logging.getLogger(__name__)

_WELL_KNOWN = "/.well-known/openid-configuration"
_REQUIRED = ("issuer", "authorization_endpoint", "token_endpoint")
_DISCOVERED_AT = "discovery_url"
_ENDPOINTS = (*_REQUIRED[1:], "device_authorization_endpoint")
_CHECK_SETTINGS = (
    "check the settings of the login: --oidc-discovery-url (COMMODORE_OIDC_DISCOVERY_URL)"
    " and --oidc-client (COMMODORE_OIDC_CLIENT)"
)
_TRY_AGAIN = "log in again; if that fails, ask the administrator of the identity provider"


class LoginFailed(CommodoreError):
    """The login failed."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An identity provider, as its discovery document describes it, and the client for it."""

    client: oauth.Client
    issuer: str
    authorization_endpoint: str
    device_endpoint: str
    sends_issuer: bool
    """Whether its authorization responses name the issuer (RFC 9207)."""
    discovery_url: str

    @classmethod
    def of(cls, config: Config) -> Provider:
        """The provider of the settings, or else of the API's settings."""
        client_id, url = _settings(config)
        _require_https("the discovery URL of the identity provider", url)
        with requesting("reading the discovery document of the identity provider"):
            document = http.get_json(url, timeout=config.request_timeout)
        if not isinstance(document, dict):
            problem = (
                f"expected a discovery document, the identity provider sent {kind_of(document)}"
            )
            raise LoginFailed(problem, where=url, hint=_CHECK_SETTINGS)
        missing = [key for key in _REQUIRED if not text(document.get(key))]
        if missing:
            raise LoginFailed(
                f"the provider's discovery document has no {' and '.join(missing)}",
                where=url,
                hint=f"check --oidc-discovery-url; it usually ends in {_WELL_KNOWN}",
            )
        for key in _ENDPOINTS:
            if document.get(key):
                _require_https(f"the provider's {key}", text(document.get(key)))
        issuer = text(document.get("issuer"))
        _check_issuer(issuer, url, strict=config.strict)
        return cls(
            oauth.Client(client_id, text(document.get("token_endpoint")), config.request_timeout),
            issuer,
            text(document.get("authorization_endpoint")),
            text(document.get("device_authorization_endpoint")),
            document.get("authorization_response_iss_parameter_supported") is True,
            url,
        )

    def issued(self, tokens: Mapping[str, Any]) -> bool:
        """Return whether stored tokens came from here: no other provider gets a refresh token.

        Commodore does not store the URL; then the issuer of the identity token must be the one
        that the URL belongs to.
        """
        if _DISCOVERED_AT in tokens:
            return bool(tokens[_DISCOVERED_AT] == self.discovery_url)
        issuer = (claims_of(text(tokens.get("id_token"))) or {}).get("iss")
        issuer_url = self.discovery_url.removesuffix(_WELL_KNOWN).rstrip("/")
        return issuer == self.issuer and self.issuer.rstrip("/") == issuer_url

    def tokens(self, grant_type: str, *, nonce: str = "", **fields: str) -> dict[str, Any]:
        """The tokens for a grant, with an identity token for this client, as they are stored."""
        with requesting("requesting a token from the identity provider"):
            tokens = self.client.tokens(grant_type, **fields)
        # The signature is not verified: the token comes straight from the endpoint over TLS, which
        # OpenID Connect Core 1.0, section 3.1.3.7, allows. The API verifies it anyway.
        token = text(tokens.get("id_token"))
        claims = claims_of(token) if is_one_word(token) else None
        if not token:
            problem = "it has no id_token"
        elif claims is None:
            problem = "its id_token is not a JSON web token"
        else:
            problem = oauth.problem_of(
                claims, issuer=self.issuer, client_id=self.client.client_id, nonce=nonce
            )
            problem = problem and f"its id_token {problem}"
        if problem:
            raise LoginFailed(
                f"invalid response from the identity provider: {printable(problem)}",
                where=self.client.token_endpoint,
                hint=_TRY_AGAIN,
            )
        if isinstance(tokens.get("scope"), str):
            tokens["scope"] = tokens["scope"].split()  # as Commodore stores it
        tokens[_DISCOVERED_AT] = self.discovery_url
        return tokens

    def code_in(self, query: Mapping[str, str], attempt: oauth.Attempt) -> str:
        """The code in an authorization response, after checking that it belongs to this login."""
        # An error without a state is accepted: it can only end this login.
        if query.get("state", "") != attempt.state and ("error" not in query or "state" in query):
            raise LoginFailed(
                "the response in the browser does not belong to this login: its state differs",
                hint="close old login pages in the browser, and log in again",
            )
        if "error" in query:
            raise access_denied(query, where=self.authorization_endpoint)
        sender, problem = query.get("iss"), ""
        if (sender or self.sends_issuer) and sender != self.issuer:
            problem = f"comes from another provider: {printable(sender or 'unnamed')}"
        elif not query.get("code"):
            problem = "has no code"
        if problem:
            message = f"the response in the browser {problem}"
            raise LoginFailed(message, where=self.issuer, hint=_TRY_AGAIN)
        return query["code"]


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


def access_denied(response: Mapping[str, Any], *, where: str) -> LoginFailed:
    """The error for a login that the user or the provider denied, with the reason."""
    parts = (response.get(key) for key in ("error", "error_description"))
    reason = printable(": ".join(str(part) for part in parts if part))
    return LoginFailed(
        f"the identity provider denied the login: {reason}",
        where=where,
        hint="log in again and consent there, or ask the administrator of the identity provider",
    )


def printable(text: str) -> str:
    """Text of a provider, safe for a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)[:300]


def _settings(config: Config) -> tuple[str, str]:
    """The client id and the discovery URL: those given, or those of the API if none is given."""
    api_url, client_id, discovery_url = (
        config.api_url,
        config.oidc_client,
        config.oidc_discovery_url,
    )
    if not (api_url or client_id or discovery_url):
        raise LoginFailed(
            "cannot log in: no API URL",
            hint="set --api-url or COMMODORE_API_URL to a Lieutenant API;"
            " a folder of cluster facts needs no login",
        )
    if not (client_id or discovery_url):
        client_id, discovery_url = _settings_of_api(f"{base_url(api_url)}/", config.request_timeout)
    missing = [] if client_id else ["a client id (--oidc-client, COMMODORE_OIDC_CLIENT)"]
    if not discovery_url:
        missing.append("a discovery URL (--oidc-discovery-url, COMMODORE_OIDC_DISCOVERY_URL)")
    if missing:
        raise LoginFailed(
            f"the login needs {' and '.join(missing)}",
            where=api_url,
            hint="set both, or neither if the API provides them",
        )
    return client_id, discovery_url


def _settings_of_api(url: str, timeout: float) -> tuple[str, str]:
    try:
        response = http.get_json(url, timeout=timeout)
    except CommodoreError as error:
        problem = "cannot get the login settings from the API: %s"
        log.warning(problem, error, extra={"where": url})
        return "", ""
    settings = mapping(mapping(response).get("oidc"))
    return text(settings.get("clientId")), text(settings.get("discoveryUrl"))


def _check_issuer(issuer: str, discovery_url: str, *, strict: bool) -> None:
    """Check that the issuer matches the address of the discovery document."""
    expected = discovery_url.removesuffix(_WELL_KNOWN)
    if expected == discovery_url or issuer.rstrip("/") == expected.rstrip("/"):
        return
    problem = f"the provider's discovery document names another issuer: {printable(issuer)}"
    if strict:
        raise LoginFailed(problem, where=discovery_url, hint=_CHECK_SETTINGS)
    log.warning("%s", problem, extra={"where": discovery_url})


def _require_https(what: str, url: str) -> None:
    if not http.is_private(url):
        raise LoginFailed(
            f"{what} does not use https",
            where=url,
            hint="only a provider on localhost may use http",
        )
