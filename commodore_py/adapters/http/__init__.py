"""HTTP: requests with JSON, and one error type for every failure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.masking import REDACTOR

from .address import is_private
from .errors import HttpError, NotFound, ServerAway, TooMany, read_whole
from .exchange import PAUSES, Request, persistently, responding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import requests

__all__ = [
    "PAUSES",
    "HttpError",
    "NotFound",
    "ServerAway",
    "TooMany",
    "get_json",
    "is_private",
    "post_form",
    "post_json",
]

_SECRET_FIELDS = ("client_secret", "code", "code_verifier", "device_code", "refresh_token")
_JSON = {"Content-Type": "application/json"}
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def get_json(
    url: str,
    *,
    token: str = "",
    params: Mapping[str, str] | None = None,
    timeout: float,
    pauses: Sequence[float] = PAUSES,
) -> Any:  # noqa: ANN401 - the door: callers parse
    """The response of a URL, None if it is empty; unreachable servers are tried again."""
    request = Request(url, token=token, params=params, timeout=timeout)
    return persistently(lambda: _exchange(request), url, pauses)


def post_json(url: str, body: object, *, token: str = "", timeout: float) -> Any:  # noqa: ANN401 - the door: callers parse
    """Send a value once; redirects repeat it, but only to the same server."""
    content = json.dumps(body).encode()
    request = Request(url, _JSON, "POST", body=content, token=token, timeout=timeout)
    return persistently(lambda: _exchange(request), url, kinds=(TooMany,))


def post_form(url: str, fields: Mapping[str, str], *, timeout: float) -> Any:  # noqa: ANN401 - the door: callers parse
    """Send the fields of a form once, and read the JSON that answers it."""
    REDACTOR.learn(*(text for name, text in fields.items() if name in _SECRET_FIELDS))
    body = urlencode(fields).encode()
    return _exchange(Request(url, _FORM, "POST", body=body, timeout=timeout))


def _exchange(request: Request) -> Any:  # noqa: ANN401 - the door: callers parse
    with responding(request) as (sent, response):
        # The status was checked first: the page of a broken proxy is not JSON.
        read_whole(response, sent.url)
        return json_of(response, sent.url)


def json_of(response: requests.Response, url: str) -> Any:  # noqa: ANN401 - the door: callers parse
    """The JSON of a response that was read, None if it is empty."""
    if not response.content.strip():
        return None
    try:
        return json_text.load(response.content, name=url)
    except JsonError as error:
        # Its content is not shown: it may be a token.
        problem = f"JSON that cannot be used: {error}" if error.limit else "no JSON"
        no_json = HttpError(
            f"answered {response.status_code} with {problem}",
            where=url,
            hint="check that the URL is that of the API",
        )
        no_json.status = response.status_code
        raise no_json from error
