"""Interactive logins: find the settings, then use a browser on this machine or another device."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from enum import Enum
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import desktop, http
from commodore_py.adapters.http.listener import Arrival, Listener, Page, PortBusy
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.urls import base_url
from commodore_py.model.warning import FROM_EVERY_RUN

from . import device, oidc
from .oidc import LoginFailed, Provider

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

# Instructions are shown without -v and with --quiet; the level is that of notices.
_NOTICE = 25
_instructions = logging.getLogger(f"{__name__}.instructions")
_instructions.setLevel(_NOTICE)

_DEFAULT_HOST, _DEFAULT_PORT = "localhost", 18000
_HIGHEST_PORT = 65535
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Commodore: {title}</title>
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto }}
:root {{ color-scheme: light dark }}
</style></head>
<body><h1>{title}</h1><p>{text}</p></body>
</html>
"""


class Way(Enum):
    """How the user logs in."""

    NONE = "not possible: no user at a terminal"
    BROWSER = "in the browser of this machine"
    NO_BROWSER = "on another device, or else at a URL that is printed"
    DEVICE = "on another device, as requested"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to log in, and as which client."""

    client_id: str
    discovery_url: str


@dataclass(frozen=True, slots=True)
class Login:
    """Settings of a login that do not depend on the provider."""

    way: Way
    listen: str = ""
    seconds: float = 300
    request_timeout: float = 5
    now: Callable[[], float] = field(default=time.time)


def way_here(*, listen: str) -> Way:
    """The way to log in on this machine; a listen address implies a browser."""
    if not desktop.is_interactive():
        return Way.NONE
    return Way.BROWSER if listen or desktop.has_browser() else Way.NO_BROWSER


def settings_of(api_url: str, client_id: str, discovery_url: str, *, timeout: float) -> Settings:
    """The given settings, or those of the API if none is given."""
    if api_url and not client_id and not discovery_url:
        client_id, discovery_url = _settings_of_api(api_url, timeout)
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
            "cannot log in: no API URL",
            hint="set --api-url or COMMODORE_API_URL to a Lieutenant API;"
            " a folder of cluster facts needs no login",
        )
    if missing:
        raise LoginFailed(
            f"the login needs {' and '.join(missing)}",
            where=api_url,
            hint="set both, or neither if the API provides them",
        )
    return Settings(client_id, discovery_url)


def log_in(provider: Provider, client_id: str, login: Login) -> dict[str, Any]:
    """Log in interactively; returns the checked response of the token endpoint."""
    code = _device_code(provider, client_id, login)
    if code:
        return _on_another_device(code, provider, client_id, login)
    return _in_a_browser(provider, client_id, login)


def _settings_of_api(api_url: str, timeout: float) -> tuple[str, str]:
    url = f"{base_url(api_url)}/"
    try:
        response = http.get_json(url, timeout=timeout)
    except CommodoreError as error:
        log.warning(
            "cannot get the login settings from the API: %s",
            error,
            extra={**FROM_EVERY_RUN, "where": url},
        )
        return "", ""
    oidc_settings = response.get("oidc") if isinstance(response, dict) else None
    found = oidc_settings if isinstance(oidc_settings, dict) else {}
    client_id, discovery_url = found.get("clientId"), found.get("discoveryUrl")
    return (
        client_id if isinstance(client_id, str) else "",
        discovery_url if isinstance(discovery_url, str) else "",
    )


def _in_a_browser(provider: Provider, client_id: str, login: Login) -> dict[str, Any]:
    with _listener(login.listen) as listener:
        attempt = oidc.Attempt.fresh(f"http://localhost:{listener.port}")
        url = oidc.authorization_url(provider, client_id, attempt)
        if login.way is Way.BROWSER and desktop.has_browser():
            _print(f"Log in with your browser; if none opens, go to\n  {url}")
            desktop.open_browser(url)
        else:
            _print(
                f"Log in with a browser that reaches port {listener.port} of this machine as"
                f" localhost:\n  {url}"
            )
        arrival = listener.arrival(within=login.seconds)
        if arrival is None:
            raise _timed_out(login)
        return _tokens_for(arrival, provider, client_id, attempt, login)


def _tokens_for(
    arrival: Arrival, provider: Provider, client_id: str, attempt: oidc.Attempt, login: Login
) -> dict[str, Any]:
    """Exchange the code that the browser brought for tokens, and show the outcome there."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    try:
        code = oidc.code_in(arrival.query, provider, attempt)
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        response = oidc.exchange(
            provider, client_id, code, attempt, timeout=login.request_timeout, now=login.now()
        )
    except CommodoreError as error:
        arrival.answer(_not_logged_in(str(error), status))
        raise
    arrival.answer(_page(HTTPStatus.OK, "You are logged in", "You may close this window."))
    return response


def _device_code(provider: Provider, client_id: str, login: Login) -> device.DeviceCode | None:
    """The code for a login on another device; None to use a browser."""
    if login.way is Way.DEVICE and not provider.device_endpoint:
        raise LoginFailed(
            "the identity provider does not support logins on other devices",
            where=provider.issuer,
            hint="log in without --device; over SSH, forward port 18000 to this machine",
        )
    if login.way not in {Way.DEVICE, Way.NO_BROWSER} or not provider.device_endpoint:
        return None
    try:
        return device.request_code(provider, client_id, timeout=login.request_timeout)
    except http.HttpError as error:
        if login.way is Way.DEVICE:
            raise
        # Many providers advertise this and then deny it to most clients.
        log.warning(
            "cannot log in on another device: %s",
            error,
            extra={**FROM_EVERY_RUN, "where": error.where},
        )
        return None


def _on_another_device(
    code: device.DeviceCode, provider: Provider, client_id: str, login: Login
) -> dict[str, Any]:
    page = code.page_with_code or code.page
    _print(f"Log in on any device: go to\n  {page}\nand make sure it shows: {code.user_code}")
    response = device.poll(
        code,
        provider,
        client_id,
        seconds=login.seconds,
        timeout=login.request_timeout,
        now=login.now,
    )
    if response is None:
        raise _timed_out(login)
    return response


def _listener(listen: str) -> Listener:
    try:
        return Listener(*_address(listen))
    except PortBusy as error:
        error.hint = (
            "another login may be running; else stop that program, or log in on another device"
            " with `commodore login --device`, or set oidc-listen to localhost:PORT in the settings"
            " file if the identity provider allows it"
        )
        raise


def _address(listen: str) -> tuple[str, int]:
    if not listen:
        return _DEFAULT_HOST, _DEFAULT_PORT
    host, _, port = listen.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        raise UsageError(
            f"invalid listen address: {listen}",
            hint=f"use HOST:PORT, as in {_DEFAULT_HOST}:{_DEFAULT_PORT} or 0.0.0.0:{_DEFAULT_PORT}",
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def _timed_out(login: Login) -> LoginFailed:
    return LoginFailed(
        f"the login timed out after {login.seconds:g} seconds",
        hint="try again, or wait longer with `commodore login --timeout SECONDS`",
    )


def _print(text: str) -> None:
    _instructions.log(_NOTICE, "%s", text, extra={"kind": "plain"})


def _not_logged_in(reason: str, status: int = HTTPStatus.BAD_REQUEST) -> Page:
    """The page after a failed login; the terminal shows the same reason."""
    text = f"{reason}. See the terminal for details."
    return _page(status, "You are not logged in", text)


def _page(status: int, title: str, text: str) -> Page:
    return Page(status, _PAGE.format(title=escape(title), text=escape(text)))
