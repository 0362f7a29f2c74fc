"""Failed requests, and responses that report an error."""

from __future__ import annotations

from http import HTTPStatus
from http.client import responses
from types import MappingProxyType
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests

_PIECE = 1 << 16
_LARGEST = 64 << 20
_CREDENTIALS = "check the token, or the user and password in a netrc file"
_HINTS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "check the options of the command, and the token",
    HTTPStatus.UNAUTHORIZED: _CREDENTIALS,
    HTTPStatus.FORBIDDEN: _CREDENTIALS,
    HTTPStatus.NOT_FOUND: "check the URL, and the id or version in it",
}


class HttpError(CommodoreError):
    """A request that failed, or whose response cannot be used."""

    status: int = 0
    """0 without a response."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Those of the response; some say when to try again."""
    answer: object = None
    """The JSON of the response, if it has any."""


class NotFound(HttpError):
    """404: the server has no such object."""


class ServerAway(HttpError):
    """There was no response, or one of a gateway: another attempt may help."""


class TooMany(HttpError):
    """429: the server did nothing, and may be asked again later."""


_KINDS: dict[int, type[HttpError]] = {
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.TOO_MANY_REQUESTS: TooMany,
    HTTPStatus.BAD_GATEWAY: ServerAway,
    HTTPStatus.SERVICE_UNAVAILABLE: ServerAway,
    HTTPStatus.GATEWAY_TIMEOUT: ServerAway,
}


def read_whole(response: requests.Response, url: str, limit: int = _LARGEST) -> None:
    """Read the content of a response up to a limit; it is in `response.content` from then on."""
    pieces, size = [], 0
    with response:
        for piece in response.iter_content(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise HttpError(f"answered with more than {limit} bytes", where=url)
    # As requests does, which sets no limit.
    vars(response).update(_content=b"".join(pieces), _content_consumed=True)


def refused(url: str, response: requests.Response) -> HttpError:
    """The error for a response that reports one, with its message."""
    if not vars(response)["_content_consumed"]:
        read_whole(response, url)
    try:
        answer = json_text.load(response.content, name=response.url)
    except JsonError:
        answer = None
    status = response.status_code
    title = f"{status} {responses.get(status, '')}".strip()
    error = _KINDS.get(status, HttpError)(
        f"answered {title}: {_reason(answer) or 'no reason given'}",
        where=url,
        hint=_HINTS.get(status, ""),
    )
    error.status, error.headers, error.answer = status, response.headers, answer
    return error


def _reason(answer: object) -> str:
    """Lieutenant gives a reason, Kubernetes a message; OAuth a code and often a sentence."""
    if not isinstance(answer, dict):
        return ""
    if answer.get("kind") == "Status" and answer.get("message"):
        return str(answer["message"])
    if answer.get("reason"):
        return str(answer["reason"])
    return ": ".join(str(answer[key]) for key in ("error", "error_description") if answer.get(key))
