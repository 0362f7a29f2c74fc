"""Interactive logins: in a browser on this machine, or on another device."""

from __future__ import annotations

import logging
import time
from enum import Enum
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import desktop, http
from commodore_py.adapters.http.listener import Listener, Page, PortBusy, listening
from commodore_py.errors import CommodoreError, UsageError

from .provider import LoginFailed, access_denied, printable, requesting

if TYPE_CHECKING:
    from commodore_py.config import Config

    from .provider import Provider

log = logging.getLogger(__name__)

# Instructions are shown without -v and with --quiet; the level is that of notices.
_NOTICE = 25
_instructions = logging.getLogger(f"{__name__}.instructions")
_instructions.setLevel(_NOTICE)

_DEFAULT_HOST, _DEFAULT_PORT = "localhost", 18000
_HIGHEST_PORT = 65535
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_INTERVAL, _SHORTEST_INTERVAL, _SLOW_DOWN = 5.0, 0.1, 5.0
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Commodore: {title}</title></head>
<body><h1>{title}</h1><p>{text}</p></body>
</html>
"""


class Way(Enum):
    """How the user logs in."""

    NONE = "not possible: no user at a terminal"
    BROWSER = "in the browser of this machine"
    NO_BROWSER = "on another device, or else at a URL that is printed"
    DEVICE = "on another device, as requested"


def way_here(*, listen: str) -> Way:
    """The way to log in on this machine; a listen address implies a browser."""
    if not desktop.is_interactive():
        return Way.NONE
    return Way.BROWSER if listen or desktop.has_browser() else Way.NO_BROWSER


def log_in(provider: Provider, way: Way, config: Config) -> dict[str, Any]:
    """Log in interactively; returns the tokens."""
    code = _device_code(provider, way)
    if code:
        return _on_another_device(code, provider, config.login_timeout)
    return _in_a_browser(provider, way, config)


def _in_a_browser(provider: Provider, way: Way, config: Config) -> dict[str, Any]:
    host, port = _address(config.oidc_listen)
    try:
        with listening(host, port) as listener:
            return _with(listener, provider, way, config.login_timeout)
    except PortBusy as error:
        error.hint = (
            "another login may be running; else stop that program, or log in on another device"
            " with `commodore login --device`, or set oidc-listen to localhost:PORT in the settings"
            " file if the identity provider allows it"
        )
        raise


def _with(listener: Listener, provider: Provider, way: Way, seconds: float) -> dict[str, Any]:
    attempt = provider.client.attempt(
        provider.authorization_endpoint, f"http://localhost:{listener.port}"
    )
    results: list[dict[str, Any] | CommodoreError] = []

    def respond(query: dict[str, str]) -> Page:
        """Exchange the code that the browser brings for tokens, and show the outcome."""
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        try:
            code = provider.code_in(query, attempt)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            tokens = provider.tokens(
                "authorization_code",
                nonce=attempt.nonce,
                code=code,
                redirect_uri=attempt.redirect_uri,
                code_verifier=attempt.verifier,
            )
        except CommodoreError as error:
            results.append(error)
            return _page(status, "You are not logged in", f"{error}. See the terminal for details.")
        results.append(tokens)
        return _page(HTTPStatus.OK, "You are logged in", "You may close this window.")

    listener.respond = respond
    if way is Way.BROWSER and desktop.has_browser():
        _print(f"Log in with your browser; if none opens, go to\n  {attempt.url}")
        desktop.open_browser(attempt.url)
    else:
        _print(
            f"Log in with a browser that reaches port {listener.port} of this machine as"
            f" localhost:\n  {attempt.url}"
        )
    if not listener.answered.wait(seconds) or not results:
        raise _timed_out(seconds)
    if isinstance(results[0], CommodoreError):
        raise results[0]
    return results[0]


def _device_code(provider: Provider, way: Way) -> dict[str, Any] | None:
    """The response with a code for a login on another device; None to use a browser."""
    endpoint, requested = provider.device_endpoint, way is Way.DEVICE
    if requested and not endpoint:
        raise LoginFailed(
            "the identity provider does not support logins on other devices",
            where=provider.issuer,
            hint="log in without --device; over SSH, forward port 18000 to this machine",
        )
    if way not in {Way.DEVICE, Way.NO_BROWSER} or not endpoint:
        return None
    try:
        with requesting("requesting a login on another device"):
            fields = provider.client.device_fields()
            code = http.post_form(endpoint, fields, timeout=provider.client.timeout)
    except http.HttpError as error:
        if requested:
            raise
        # Many providers advertise this and then deny it to most clients.
        problem, extra = "cannot log in on another device: %s", {"where": error.where}
        log.warning(problem, error, extra=extra)
        return None
    required = ("device_code", "user_code", "verification_uri")
    if not isinstance(code, dict) or not all(isinstance(code.get(key), str) for key in required):
        problem = "the device authorization response of the identity provider is incomplete"
        raise LoginFailed(problem, where=endpoint)
    return code


def _on_another_device(code: dict[str, Any], provider: Provider, seconds: float) -> dict[str, Any]:
    """Show where to log in, and wait until the user has (RFC 8628)."""
    page = code.get("verification_uri_complete") or code["verification_uri"]
    _print(
        f"Log in on any device: go to\n  {printable(str(page))}\n"
        f"and make sure it shows: {printable(code['user_code'])}"
    )
    deadline = time.monotonic() + min(seconds, _number(code, "expires_in", seconds))
    pause = max(_number(code, "interval", _INTERVAL), _SHORTEST_INTERVAL)
    while time.monotonic() + pause < deadline:
        time.sleep(pause)
        try:
            return provider.tokens(_DEVICE_GRANT, device_code=code["device_code"])
        except http.ServerAway:
            pause *= 2
        except http.HttpError as error:
            answer = error.answer if isinstance(error.answer, dict) else {}
            match answer.get("error"):
                case "authorization_pending":
                    continue
                case "slow_down":
                    pause += _SLOW_DOWN
                case "expired_token":
                    break
                case "access_denied":
                    raise access_denied(answer, where=error.where) from error
                case _:
                    raise
    raise _timed_out(seconds)


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


def _number(holder: dict[str, Any], key: str, default: float) -> float:
    value = holder.get(key)
    return float(value) if isinstance(value, int | float) and value > 0 else default


def _timed_out(seconds: float) -> LoginFailed:
    return LoginFailed(
        f"the login timed out after {seconds:g} seconds",
        hint="try again, or wait longer with `commodore login --timeout SECONDS`",
    )


def _print(text: str) -> None:
    _instructions.log(_NOTICE, "%s", text, extra={"kind": "plain"})


def _page(status: int, title: str, text: str) -> Page:
    return Page(status, _PAGE.format(title=escape(title), text=escape(text)))
