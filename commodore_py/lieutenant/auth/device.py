"""Logging in on another device (RFC 8628): for machines without a browser."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import http
from commodore_py.lieutenant.api_objects import kind_of

from .oidc import (
    SCOPE,
    LoginFailed,
    access_denied,
    checked,
    error_code,
    printable,
    request_tokens,
    requesting,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .oidc import Provider

_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_DEFAULT_INTERVAL = 5.0
_MINIMUM_INTERVAL = 0.1
_SLOW_DOWN = 5.0


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """Where the user logs in, and how to poll for the result."""

    device_code: str = field(repr=False)
    user_code: str
    page: str
    page_with_code: str
    interval: float
    seconds: float


def request_code(provider: Provider, client_id: str, *, timeout: float) -> DeviceCode:
    """Request a page and a code from the provider."""
    fields = {"client_id": client_id, "scope": SCOPE}
    with requesting("requesting a login on another device"):
        response = http.post_form(provider.device_endpoint, fields, timeout=timeout)
    found = response if isinstance(response, dict) else {}
    device_code, user_code, page, page_with_code = (
        str(found.get(key) or "")
        for key in ("device_code", "user_code", "verification_uri", "verification_uri_complete")
    )
    if not (device_code and user_code and page):
        problem = "without page or code" if found else kind_of(response)
        raise LoginFailed(
            f"the device authorization response of the identity provider is {problem}",
            where=provider.device_endpoint,
        )
    return DeviceCode(
        device_code,
        printable(user_code),
        printable(page),
        printable(page_with_code),
        interval=max(_number(found, "interval", _DEFAULT_INTERVAL), _MINIMUM_INTERVAL),
        seconds=_number(found, "expires_in", float("inf")),
    )


def poll(
    code: DeviceCode,
    provider: Provider,
    client_id: str,
    *,
    seconds: float,
    timeout: float,
    now: Callable[[], float],
) -> dict[str, Any] | None:
    """Wait for the user to log in; None on timeout."""
    deadline = time.monotonic() + min(seconds, code.seconds)
    pause = code.interval
    fields = {"grant_type": _GRANT, "client_id": client_id, "device_code": code.device_code}
    while time.monotonic() + pause < deadline:
        time.sleep(pause)
        try:
            response = request_tokens(provider, fields, timeout=timeout)
        except http.ServerAway:
            pause *= 2
        except http.HttpError as error:
            match error_code(error):
                case "authorization_pending":
                    continue
                case "slow_down":
                    pause += _SLOW_DOWN
                case "expired_token":
                    return None
                case "access_denied":
                    raise access_denied(error.answer, where=error.where) from error
                case _:
                    raise
        else:
            return checked(response, provider, client_id, now=now())
    return None


def _number(holder: dict[str, Any], key: str, default: float) -> float:
    value = holder.get(key)
    return float(value) if isinstance(value, int | float) and value > 0 else default
