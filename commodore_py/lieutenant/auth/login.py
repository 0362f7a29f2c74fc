"""Logging in: find out where, then with a person in front of a browser, here or elsewhere."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import desktop, http
from commodore_py.adapters.http.listener import Arrival, Listener, PortBusy
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.urls import base_url

from . import device, oidc, pages
from .oidc import LoginFailed, Provider

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

# What the person has to do is shown without -v, and with --quiet; the level is that of notices.
_NOTICE = 25
_ask = logging.getLogger(f"{__name__}.ask")
_ask.setLevel(_NOTICE)

_USUAL_HOST, _USUAL_PORT = "localhost", 18000
_HIGHEST_PORT = 65535


class Way(Enum):
    """How a person can log in."""

    NOT = "not at all"
    BROWSER = "in the browser of this machine"
    ELSEWHERE = "on another device, or else at an address that is shown"
    DEVICE = "on another device, as was asked for"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to log in, and as which client."""

    client_id: str
    discovery_url: str


@dataclass(frozen=True, slots=True)
class Login:
    """How one is done: the settings that do not depend on the provider."""

    way: Way
    listen: str = ""
    seconds: float = 300
    request_timeout: float = 5
    now: Callable[[], float] = field(default=time.time)


def way_here(*, listen: str) -> Way:
    """The way that suits this machine; an address to listen at is given for a browser."""
    if not desktop.somebody_is_there():
        return Way.NOT
    return Way.BROWSER if listen or desktop.has_browser() else Way.ELSEWHERE


def settings_of(api_url: str, client_id: str, discovery_url: str, *, timeout: float) -> Settings:
    """The settings given, or those the API tells whoever has none of them."""
    if api_url and not client_id and not discovery_url:
        client_id, discovery_url = _told_by(api_url, timeout)
    missing = [
        what
        for given, what in (
            (client_id, "a client id (--oidc-client, COMMODORE_OIDC_CLIENT)"),
            (discovery_url, "a discovery URL (--oidc-discovery-url, COMMODORE_OIDC_DISCOVERY_URL)"),
        )
        if not given
    ]
    if missing and not (api_url or client_id or discovery_url):
        raise LoginFailed(
            "there is nothing to log in to: no API URL",
            hint="set --api-url or COMMODORE_API_URL to a Lieutenant API;"
            " a folder of cluster facts needs no login",
        )
    if missing:
        raise LoginFailed(
            f"the login lacks {' and '.join(missing)}",
            where=api_url,
            hint="give both, or none of them if the API tells them",
        )
    return Settings(client_id, discovery_url)


def log_in(provider: Provider, client_id: str, login: Login) -> dict[str, Any]:
    """The answer of the token endpoint once a person has logged in, checked."""
    invited = _invitation(provider, client_id, login)
    if invited:
        return _on_another_device(invited, provider, client_id, login)
    return _in_a_browser(provider, client_id, login)


def _told_by(api_url: str, timeout: float) -> tuple[str, str]:
    url = f"{base_url(api_url)}/"
    try:
        answer = http.get_json(url, timeout=timeout)
    except CommodoreError as error:
        log.warning("the API does not tell how to log in: %s", error, extra={"where": url})
        return "", ""
    told = answer.get("oidc") if isinstance(answer, dict) else None
    given = told if isinstance(told, dict) else {}
    client_id, discovery_url = given.get("clientId"), given.get("discoveryUrl")
    return (
        client_id if isinstance(client_id, str) else "",
        discovery_url if isinstance(discovery_url, str) else "",
    )


def _in_a_browser(provider: Provider, client_id: str, login: Login) -> dict[str, Any]:
    with _listener(login.listen) as listener:
        attempt = oidc.Attempt.fresh(f"http://localhost:{listener.port}")
        url = oidc.authorization_url(provider, client_id, attempt)
        if login.way is Way.BROWSER and desktop.has_browser():
            _tell(f"Log in with your browser; if none opens, go to\n  {url}")
            desktop.open_browser(url)
        else:
            _tell(
                f"Log in with a browser that reaches port {listener.port} of this machine as"
                f" localhost:\n  {url}"
            )
        arrival = listener.arrival(within=login.seconds)
        if arrival is None:
            raise _nobody_came(login)
        return _tokens_for(arrival, provider, client_id, attempt, login)


def _tokens_for(
    arrival: Arrival, provider: Provider, client_id: str, attempt: oidc.Attempt, login: Login
) -> dict[str, Any]:
    """What the browser brought, made into tokens; it is shown what came of it."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    try:
        code = oidc.code_in(arrival.query, provider, attempt)
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        answer = oidc.exchange(
            provider, client_id, code, attempt, timeout=login.request_timeout, now=login.now()
        )
    except CommodoreError as error:
        arrival.answer(pages.not_logged_in(str(error), status))
        raise
    arrival.answer(pages.logged_in())
    return answer


def _invitation(provider: Provider, client_id: str, login: Login) -> device.Invitation | None:
    """To another device, if that is the way; None leaves the browser."""
    if login.way is Way.DEVICE and not provider.device_endpoint:
        raise LoginFailed(
            "the identity provider offers no login on another device",
            where=provider.issuer,
            hint="log in without --device; over SSH, forward port 18000 to this machine",
        )
    if login.way not in {Way.DEVICE, Way.ELSEWHERE} or not provider.device_endpoint:
        return None
    try:
        return device.invitation(provider, client_id, timeout=login.request_timeout)
    except http.HttpError as error:
        if login.way is Way.DEVICE:
            raise
        # Providers offer this to everybody, and then refuse it to most clients.
        log.warning("no login on another device: %s", error, extra={"where": error.where})
        return None


def _on_another_device(
    invited: device.Invitation, provider: Provider, client_id: str, login: Login
) -> dict[str, Any]:
    page = invited.page_with_code or invited.page
    _tell(f"Log in on any device: go to\n  {page}\nand make sure it shows: {invited.user_code}")
    answer = device.accepted(
        invited,
        provider,
        client_id,
        seconds=login.seconds,
        timeout=login.request_timeout,
        now=login.now,
    )
    if answer is None:
        raise _nobody_came(login)
    return answer


def _listener(listen: str) -> Listener:
    try:
        return Listener(*_address(listen))
    except PortBusy as error:
        error.hint = (
            "another login may be going on; else stop that program, or log in on another device"
            " with `commodore login --device`, or name another port with --oidc-listen"
            " localhost:PORT if the identity provider allows it"
        )
        raise


def _address(listen: str) -> tuple[str, int]:
    if not listen:
        return _USUAL_HOST, _USUAL_PORT
    host, _, port = listen.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        raise UsageError(
            f"not an address to listen at: {listen}",
            hint=f"give HOST:PORT, as in {_USUAL_HOST}:{_USUAL_PORT} or 0.0.0.0:{_USUAL_PORT}",
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def _nobody_came(login: Login) -> LoginFailed:
    return LoginFailed(
        f"nobody logged in within {login.seconds:g} seconds",
        hint="try again; `commodore login --login-timeout SECONDS` waits longer",
    )


def _tell(text: str) -> None:
    _ask.log(_NOTICE, "%s", text, extra={"kind": "plain"})
