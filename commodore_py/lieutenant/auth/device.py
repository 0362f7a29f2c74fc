"""Logging in on another device (RFC 8628): for machines without a browser."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import http
from commodore_py.lieutenant.described import kind_of

from .oidc import (
    SCOPE,
    LoginFailed,
    ask_for_tokens,
    asking,
    checked,
    printable,
    refusal_in,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .oidc import Provider

_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_USUAL_INTERVAL = 5.0
_LEAST_INTERVAL = 0.1
_SLOWER_BY = 5.0


@dataclass(frozen=True, slots=True)
class Invitation:
    """What the person is to do elsewhere, and how we ask whether it is done."""

    device_code: str = field(repr=False)
    user_code: str
    page: str
    page_with_code: str
    interval: float
    seconds: float


def invitation(provider: Provider, client_id: str, *, timeout: float) -> Invitation:
    """Ask the provider for a page and a code."""
    fields = {"client_id": client_id, "scope": SCOPE}
    with asking("asking the identity provider for a login on another device"):
        answer = http.post_form(provider.device_endpoint, fields, timeout=timeout)
    found = answer if isinstance(answer, dict) else {}
    device_code, user_code, page, page_with_code = (
        str(found.get(key) or "")
        for key in ("device_code", "user_code", "verification_uri", "verification_uri_complete")
    )
    if not (device_code and user_code and page):
        raise LoginFailed(
            "the identity provider offers a login on another device, but sent"
            f" {'neither page nor code' if found else kind_of(answer)}",
            where=provider.device_endpoint,
        )
    return Invitation(
        device_code,
        printable(user_code),
        printable(page),
        printable(page_with_code),
        interval=max(_number(found, "interval", _USUAL_INTERVAL), _LEAST_INTERVAL),
        seconds=_number(found, "expires_in", float("inf")),
    )


def accepted(
    invited: Invitation,
    provider: Provider,
    client_id: str,
    *,
    seconds: float,
    timeout: float,
    now: Callable[[], float],
) -> dict[str, Any] | None:
    """Wait for the person to accept; None when that takes too long."""
    deadline = time.monotonic() + min(seconds, invited.seconds)
    pause = invited.interval
    fields = {"grant_type": _GRANT, "client_id": client_id, "device_code": invited.device_code}
    while time.monotonic() + pause < deadline:
        time.sleep(pause)
        try:
            answer = ask_for_tokens(provider, fields, timeout=timeout)
        except http.ServerAway:
            pause *= 2
        except http.HttpError as error:
            match refusal_in(error):
                case "authorization_pending":
                    continue
                case "slow_down":
                    pause += _SLOWER_BY
                case "expired_token":
                    return None
                case "access_denied":
                    raise refused(error.answer, where=error.where) from error
                case _:
                    raise
        else:
            return checked(answer, provider, client_id, now=now())
    return None


def _number(holder: dict[str, Any], key: str, usual: float) -> float:
    value = holder.get(key)
    return float(value) if isinstance(value, int | float) and value > 0 else usual
