"""HTTP: requests with JSON, and one error type for every failure."""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from http import HTTPStatus
from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.masking import REDACTOR

from .address import join_url, split_url
from .errors import HttpError, NotFound, ServerAway, TooMany
from .retries import PAUSES, persistently

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import requests

    from .watch import Watch

__all__ = [
    "PAUSES",
    "HttpError",
    "NotFound",
    "ServerAway",
    "TooMany",
    "ask_json",
    "get_json",
    "is_private",
    "opened",
    "post_form",
    "post_json",
    "read_whole",
    "refused",
    "same_server",
    "translated",
]

log = logging.getLogger(__name__)

_SECRET_FIELDS = ("client_secret", "code", "code_verifier", "device_code", "refresh_token")
_FORM = "application/x-www-form-urlencoded"
_PIECE = 1 << 16
_MOST_ANSWER = 64 << 20
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNAVAILABLE = {
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
_REDIRECTS = {
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
}
_HINTS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "check the options of the command, and the token that is sent along",
    HTTPStatus.UNAUTHORIZED: "check the token that is sent along",
    HTTPStatus.FORBIDDEN: "check that the token's owner may see and do this",
    HTTPStatus.NOT_FOUND: "check the id, and the URL in front of it",
}


class _Request(NamedTuple):
    method: str
    url: str
    token: str
    timeout: float
    params: Mapping[str, str] | None = None
    body: bytes | None = None
    content_type: str = "application/json"
    stream: bool = False
    accept: Mapping[str, str] = MappingProxyType({})

    @property
    def headers(self) -> dict[str, str]:
        if self.stream:
            return {"Accept-Encoding": "identity"}  # digests are of what the server has
        content = {"Content-Type": self.content_type} if self.body is not None else {}
        return {**self.accept, **content}


def get_json(
    url: str,
    *,
    token: str = "",
    params: Mapping[str, str] | None = None,
    timeout: float,
    pauses: Sequence[float] = PAUSES,
) -> Any:  # noqa: ANN401 - the door: callers parse
    """The response of a URL, None if it is empty; unreachable servers are tried again."""
    request = _Request("GET", url, token, timeout, params=params)
    return persistently(lambda: _exchange(request), url, pauses)


def post_json(url: str, body: object, *, token: str = "", timeout: float) -> Any:  # noqa: ANN401 - the door: callers parse
    """Send a value once; redirects repeat it, but only to the same server."""
    content = json.dumps(body).encode()
    request = _Request("POST", url, token, timeout, body=content)
    return persistently(lambda: _exchange(request), url, kinds=(TooMany,))


def post_form(url: str, fields: Mapping[str, str], *, timeout: float) -> Any:  # noqa: ANN401 - the door: callers parse
    """Send the fields of a form once, and read the JSON that answers it."""
    REDACTOR.learn(*(text for name, text in fields.items() if name in _SECRET_FIELDS))
    body = urlencode(fields).encode()
    return _exchange(_Request("POST", url, "", timeout, body=body, content_type=_FORM))


def ask_json(
    method: str,
    url: str,
    body: object = None,
    *,
    accept: Mapping[str, str],
    token: str,
    timeout: float,
) -> tuple[Any, Mapping[str, str]]:
    """Send one request; the response and its headers, as some contain pages and limits."""
    content = None if body is None else json.dumps(body).encode()
    request = _Request(method, url, token, timeout, body=content, accept=accept)
    request, response = _arrive(request)
    return _answer(request, response), response.headers


@contextmanager
def opened(url: str, *, timeout: float) -> Iterator[Iterator[bytes]]:
    """The content of a URL, piece by piece, for what is too large to be held."""
    import requests  # slow to import, and most commands send no request

    request, response = _arrive(_Request("GET", url, "", timeout, stream=True))
    with response:
        try:
            if not _is_fine(response):
                raise refused(request.url, response)
            yield response.iter_content(_PIECE)
        except requests.RequestException as error:
            raise translated(error, request.url, request.timeout) from error


def is_private(url: str) -> bool:
    """Whether the connection cannot be intercepted: https, or a server on this machine.

    OAUTHLIB_INSECURE_TRANSPORT lifts this, as it does for Commodore.
    """
    parts = split_url(url)
    if parts.scheme == "http":
        in_clear = os.environ.get("OAUTHLIB_INSECURE_TRANSPORT")
        return bool(in_clear) or _is_loopback(parts.hostname or "")
    return parts.scheme == "https"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def same_server(url: str, other: str) -> bool:
    """Whether what may be shown to one may be shown to the other: itself, or its https."""
    one, two = split_url(url), split_url(other)
    if one.hostname != two.hostname:
        return False
    if (one.scheme, two.scheme) == ("http", "https"):
        return True
    return one.scheme == two.scheme and _port(one.scheme, one.port) == _port(two.scheme, two.port)


def _port(scheme: str, port: int | None) -> int | None:
    return port or _DEFAULT_PORTS.get(scheme)


def _exchange(request: _Request) -> Any:  # noqa: ANN401 - the door: callers parse
    return _answer(*_arrive(request))


def _arrive(request: _Request) -> tuple[_Request, requests.Response]:
    """The request as it was last sent, and its response: any but a redirect."""
    # Redirects are followed here and not by requests, which would turn a POST into a GET, and
    # on each hop let a netrc file replace the token.
    from .watch import MOST_REDIRECTS, Watch  # slow to import, and most commands send no request

    watch = Watch(request.url, "download" if request.stream else "request")
    for _ in range(MOST_REDIRECTS + 1):
        response = _send(request, watch)
        followed = _REDIRECTS | ({HTTPStatus.SEE_OTHER} if request.method == "GET" else set())
        location = response.headers.get("Location", "") if response.status_code in followed else ""
        if not location:
            return request, response
        response.close()
        request = _redirected(request, location)
    raise HttpError(f"redirected more than {MOST_REDIRECTS} times", where=request.url)


def _redirected(request: _Request, location: str) -> _Request:
    target = join_url(request.url, location)
    same = same_server(request.url, target)
    if not same and request.method != "GET":
        raise HttpError(
            f"redirected to another server, {target}: nothing was sent there",
            where=request.url,
            hint="if that server is the right one, give its URL instead",
        )
    if split_url(request.url).scheme == "https" and not is_private(target):
        raise HttpError(f"redirected to plain http, {target}: not followed", where=request.url)
    return request._replace(url=target, params=None, token=request.token if same else "")


def _send(request: _Request, watch: Watch) -> requests.Response:
    REDACTOR.learn(request.token)
    if request.timeout <= 0:
        raise HttpError(
            f"a timeout of {request.timeout} seconds leaves no time for an answer",
            where=request.url,
            hint="give --request-timeout a number above zero",
        )
    return _sent(request, watch)


def _sent(request: _Request, watch: Watch) -> requests.Response:
    import requests  # slow to import

    from .deadlines import session

    def authorise(prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        if request.token:
            prepared.headers["Authorization"] = f"Bearer {request.token}"
        return prepared

    try:
        with session(watch) as sending:
            response = sending.request(
                request.method,
                request.url,
                params=request.params,
                data=request.body,
                headers=request.headers,
                stream=True,
                # Given even when there is no token: requests looks into a netrc file otherwise.
                auth=authorise,
                timeout=request.timeout,
                allow_redirects=False,
            )
            if not request.stream:
                read_whole(response, request.url)
            return response
    except requests.RequestException as error:
        raise translated(error, request.url, request.timeout) from error
    except ValueError as error:
        # requests parses the target of a redirect even if it must not follow it.
        raise HttpError(f"redirected to an invalid URL: {error}", where=request.url) from error
    except OSError as error:
        raise not_sent(error, request.url) from error


def not_sent(error: OSError, url: str) -> HttpError:
    """A request that failed before anything was sent: files that it needs cannot be used."""
    return HttpError(
        f"no request can be sent: {error}",
        where=url,
        hint="check REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and SSL_CERT_FILE: a file of certificates",
    )


def translated(error: requests.RequestException, url: str, timeout: float) -> HttpError:
    """What went wrong on the way, in our words."""
    import requests

    root = _root(error)
    cause = getattr(root, "strerror", None) or str(root)
    if isinstance(error, requests.Timeout) or isinstance(root, TimeoutError):
        return _too_late(root, url, timeout)
    if isinstance(error, requests.exceptions.SSLError):
        return HttpError(
            f"no secure connection: {cause}",
            where=url,
            hint="check the URL; for a CA of your own, REQUESTS_CA_BUNDLE names its certificates",
        )
    if isinstance(error, requests.exceptions.ProxyError):
        return ServerAway(
            f"no connection through the proxy: {cause}",
            where=url,
            hint="check HTTP_PROXY, HTTPS_PROXY and NO_PROXY",
        )
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return ServerAway(f"the answer ended too early: {cause}", where=url)
    if isinstance(error, requests.ConnectionError):
        return ServerAway(
            f"no connection: {cause}",
            where=url,
            hint="check the URL, the network, and the proxy settings",
        )
    return HttpError(f"the request failed: {cause}", where=url)


def _too_late(error: BaseException, url: str, timeout: float) -> HttpError:
    from .watch import OutOfTime

    if isinstance(error, OutOfTime):
        return HttpError(str(error), where=url, hint=error.hint)
    message = f"no answer within {timeout:g} seconds"
    return HttpError(message, where=url, hint="a slow server may need a higher --request-timeout")


def read_whole(response: requests.Response, url: str, most: int = _MOST_ANSWER) -> None:
    """Read an answer that is to be small; from then on, `response` has its content."""
    pieces, size = [], 0
    with response:
        for piece in response.iter_content(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise HttpError(f"answered with more than {most} bytes", where=url)
    # As requests does, which sets no bound.
    vars(response).update(_content=b"".join(pieces), _content_consumed=True)


def _root(error: requests.RequestException) -> BaseException:
    """The operating system's error below those of the libraries, or the deepest of theirs."""
    root: BaseException = error
    while (deeper := root.__cause__ or root.__context__) is not None:
        root = deeper
        if isinstance(root, OSError):
            break
    return root


def _answer(request: _Request, response: requests.Response) -> Any:  # noqa: ANN401 - the door: callers parse
    status = response.status_code
    # The status comes first: the page of a broken proxy is not JSON, and its status is more useful.
    if not _is_fine(response):
        raise refused(request.url, response)
    if not response.content.strip():
        return None
    try:
        return json_text.load(response.content, name=request.url)
    except JsonError as error:
        if error.limit:
            raise HttpError(
                f"answered {_title(status)}, but its JSON cannot be used: {error}",
                where=request.url,
            ) from error
        # What answers a form may be a token in some other shape: it is not shown.
        begins = "" if request.content_type == _FORM else f"; it begins: {_beginning(response)}"
        no_json = HttpError(
            f"answered {_title(status)}, but no JSON{begins}",
            where=request.url,
            hint="check that the URL is that of the API",
        )
        no_json.status = status
        raise no_json from error


def _is_fine(response: requests.Response) -> bool:
    return HTTPStatus.OK <= response.status_code < HTTPStatus.MULTIPLE_CHOICES


def refused(url: str, response: requests.Response) -> HttpError:
    """The message in a server's error response."""
    if not vars(response)["_content_consumed"]:
        read_whole(response, url)
    status = response.status_code
    kind = HttpError
    if status == HTTPStatus.NOT_FOUND:
        kind = NotFound
    elif status in _UNAVAILABLE:
        kind = ServerAway
    elif status == HTTPStatus.TOO_MANY_REQUESTS:
        kind = TooMany
    answer = _json_in(response)
    reason = _reason(answer) or "no reason given"
    hint = _HINTS.get(status, "")
    error = kind(f"answered {_title(status)}: {reason}", where=url, hint=hint)
    error.status, error.headers, error.answer = status, response.headers, answer
    return error


def _json_in(response: requests.Response) -> object:
    try:
        return json_text.load(response.content, name=response.url)
    except JsonError:
        return None


def _reason(answer: object) -> str:
    """Lieutenant gives a reason, Kubernetes a message; OAuth a code and often a sentence."""
    if not isinstance(answer, dict):
        return ""
    if answer.get("kind") == "Status" and answer.get("message"):
        return str(answer["message"])
    if answer.get("reason"):
        return str(answer["reason"])
    return ": ".join(str(answer[key]) for key in ("error", "error_description") if answer.get(key))


def _title(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _beginning(response: requests.Response) -> str:
    words = " ".join(response.content[:200].decode("utf-8", "replace").split())
    return words[:60]
