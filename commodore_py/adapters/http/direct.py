"""GETs by Python's own HTTP client, where neither proxies nor the answer need `requests`.

To import that takes four times as long: a run that asks an API and nobody else saves 8 % of its
instructions. All that is out of the ordinary is left to requests, which asks once more.
"""

from __future__ import annotations

import http.client
import os
import socket
import string
import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from commodore_py.tuning import enabled

from .watch import USER_AGENT, Watched

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

    from .watch import Watch

_IN_HOSTS = frozenset(string.ascii_letters + string.digits + ".-")
_IN_PATHS = frozenset(string.ascii_letters + string.digits + "._~/-")
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PROXY = "_proxy"
_PIECE = 1 << 16


class Answer:
    """As much of a response of requests as its readers in this package need."""

    def __init__(self, url: str, response: http.client.HTTPResponse, content: bytes) -> None:
        self.url = url
        self.status_code = response.status
        self.headers: Message = response.headers
        self.content = content
        self._content_consumed = True


def get(
    url: str, headers: Mapping[str, str], *, timeout: float, watch: Watch, most: int
) -> Answer | None:
    """The answer of a server; None if requests has to ask. A TimeoutError if it comes too late."""
    if not enabled() or sys.platform == "darwin" or not _is_plain(url) or _has_proxies():
        return None  # macOS has proxies in its settings
    parts = urlsplit(url)
    try:
        connection = _connection(parts.scheme, parts.hostname or "", parts.port, timeout)
    except (OSError, ValueError):
        return None
    connection.response_class = type("Response", (Watched,), {"watch": watch})
    # As bytes: of a text, Python looks up the tables of international names.
    connection._create_connection = _connected  # type: ignore[attr-defined]  # noqa: SLF001
    about = {"User-Agent": USER_AGENT, "Accept": "*/*", "Connection": "close"}
    try:
        connection.request("GET", parts.path or "/", headers={**about, **headers})
        with connection.getresponse() as response:
            content = _content_of(response, most)
            return None if content is None else Answer(url, response, content)
    except TimeoutError:
        raise
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _is_plain(url: str) -> bool:
    """Whether a URL is sent as it is written, however it is parsed."""
    parts = urlsplit(url)
    host, _, port = parts.netloc.partition(":")
    return (
        parts.scheme in {"http", "https"}
        and url == f"{parts.scheme}://{parts.netloc}{parts.path}"
        and bool(host.strip("."))
        and host == host.strip(".").lower()
        and _IN_HOSTS.issuperset(host)
        and (not port or (port.isascii() and port.isdigit()))
        and _IN_PATHS.issuperset(parts.path)
        and "/." not in parts.path
    )


def _has_proxies() -> bool:
    return any(value and name.lower().endswith(_PROXY) for name, value in os.environ.items())


def _connection(
    scheme: str, host: str, port: int | None, timeout: float
) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout)
    import ssl

    import certifi

    # As requests does; but a folder of them is left to it.
    bundles = (*map(os.environ.get, _BUNDLES), certifi.where())
    context = ssl.create_default_context(cafile=next(filter(None, bundles)))
    context.hostname_checks_common_name = False  # by default, Python takes it for lack of others
    context.set_alpn_protocols(["http/1.1"])
    return http.client.HTTPSConnection(host, port, timeout=timeout, context=context)


def _connected(address: tuple[str, int], *options: Any) -> socket.socket:  # noqa: ANN401
    host, port = address
    place: Any = (host.encode("ascii"), port)
    return socket.create_connection(place, *options)


def _content_of(response: http.client.HTTPResponse, most: int) -> bytes | None:
    """All of a plain answer: a redirection, an encoding or an odd length are none."""
    lengths = response.headers.get_all("Content-Length", [])
    plain = (
        not HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST
        and "Content-Encoding" not in response.headers
        and response.headers.get("Transfer-Encoding", "chunked").lower() == "chunked"
        and (not lengths or (len(lengths) == 1 and lengths[0].isascii() and lengths[0].isdigit()))
    )
    pieces, size = [], 0
    while plain and (piece := response.read(_PIECE)):
        pieces.append(piece)
        size += len(piece)
        plain = size <= most
    return b"".join(pieces) if plain and not response.length else None
