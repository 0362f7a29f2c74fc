"""The session of requests: its limits on time, the certificates it accepts, its errors."""

from __future__ import annotations

import http.client
import io
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import requests
import requests.adapters
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError as Urllib3Error

from commodore_py import __version__
from commodore_py.adapters import ending, time_limits
from commodore_py.adapters.masking import REDACTOR

from .address import split_url
from .errors import HttpError, ServerAway

if TYPE_CHECKING:
    import socket
    import threading
    from collections.abc import Iterator, Mapping

    from urllib3.poolmanager import ProxyManager

_TICK = 0.25
USER_AGENT = f"commodore/{__version__}"


class OutOfTime(TimeoutError):
    """A server was still sending when its time was over."""

    def __init__(self, setting: str, seconds: float) -> None:
        super().__init__(f"no complete answer within {seconds:g} seconds")
        self.hint = time_limits.hint(setting, seconds)


class Watch:
    """The time of one exchange, redirects included; it begins now.

    `setting` is a name of the setting `time-limits`.
    """

    def __init__(self, url: str, setting: str, closed: threading.Event | None = None) -> None:
        self._closed = closed
        self._host = split_url(url).hostname or ""  # refuses a malformed URL
        self._setting = setting
        self._limit = getattr(time_limits.current(), setting)
        self.begin()

    def begin(self) -> None:
        """Begin again, for another exchange of the same session."""
        self._clock = time_limits.Clock(lambda: self._host)

    def look(self) -> None:
        """Say what is waited for, and raise if it is too late."""
        if ending.asked():
            raise KeyboardInterrupt
        if self._closed is not None and self._closed.is_set():
            raise ConnectionAbortedError("the connection was closed")
        passed = self._clock.passed()
        if self._limit and passed > self._limit:
            raise OutOfTime(self._setting, self._limit)


class _Content(io.RawIOBase):
    """Receive from a socket, with a look at the clock for every piece."""

    def __init__(self, raw: socket.SocketIO, sock: socket.socket, watch: Watch) -> None:
        self._raw, self._sock, self._watch = raw, sock, watch
        self._idle = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - Buffer is of Python 3.12
        until = None if self._idle is None else time.monotonic() + self._idle
        self._sock.settimeout(_TICK if self._idle is None else min(_TICK, self._idle))
        try:
            while True:
                self._watch.look()
                try:
                    return self._sock.recv_into(buffer)
                except TimeoutError:
                    if until is not None and time.monotonic() >= until:
                        raise
        finally:
            self._sock.settimeout(self._idle)

    def close(self) -> None:
        self._raw.close()
        super().close()


class Watched(http.client.HTTPResponse):
    """A response whose content is received with that watch."""

    watch: Watch

    def __init__(self, sock: socket.socket, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(sock, **options)
        raw: Any = self.fp.detach()  # a BufferedReader, of makefile
        self.fp = io.BufferedReader(_Content(raw, sock, self.watch))


# requests reads the first two, other programs the last one.
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


def session(watch: Watch, **pools: Any) -> requests.Session:  # noqa: ANN401 - passed on
    """A session whose responses are complete in time; `pools` are options of urllib3's pools."""
    made = requests.Session()
    limit(made, watch, **pools)
    return made


def limit(made: requests.Session, watch: Watch, **pools: Any) -> None:  # noqa: ANN401 - passed on
    """Have a session keep the time limits of an exchange."""
    made.headers["User-Agent"] = USER_AGENT
    adapter = _Adapter(watch, pools)
    for scheme in ("http://", "https://"):
        made.mount(scheme, adapter)


@contextmanager
def sending(url: str, timeout: float) -> Iterator[None]:
    """Raise what fails before or on sending a request as errors for users."""
    try:
        with translating(url, timeout):
            yield
    except OSError as error:
        raise HttpError(
            f"no request can be sent: {error}",
            where=url,
            hint="check REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE: a file of certificates",
        ) from error
    except ValueError as error:
        split_url(url)  # raises if it is this one
        # requests parses the target of a redirect even if it must not follow it.
        raise HttpError(f"redirected to an invalid URL: {error}", where=url) from error


@contextmanager
def translating(url: str, timeout: float) -> Iterator[None]:
    """Raise exceptions of the libraries as errors for users."""
    try:
        yield
    except (requests.RequestException, Urllib3Error) as error:
        raise translated(error, url, timeout) from error


def translated(
    error: requests.RequestException | Urllib3Error, url: str, timeout: float
) -> HttpError:
    """An exception of requests or urllib3 as an error for users."""
    root = _root(error)
    cause = REDACTOR.message(getattr(root, "strerror", None) or str(root))
    if isinstance(root, OutOfTime):
        return HttpError(str(root), where=url, hint=root.hint)
    if isinstance(error, requests.Timeout) or isinstance(root, TimeoutError):
        message = f"no answer within {timeout:g} seconds"
        hint = "a slow server may need a higher --request-timeout"
        return HttpError(message, where=url, hint=hint)
    for kinds, made, problem, hint in _FAILURES:
        if isinstance(error, kinds):
            return made(f"{problem}: {cause}", where=url, hint=hint)
    return HttpError(f"the request failed: {cause}", where=url)


# The first kind that fits counts: several are derived from ConnectionError.
_FAILURES: tuple[tuple[tuple[type[Exception], ...], type[HttpError], str, str], ...] = (
    (
        (requests.exceptions.SSLError,),
        HttpError,
        "no secure connection",
        "check the URL; for a CA of your own, REQUESTS_CA_BUNDLE names its certificates",
    ),
    (
        (requests.exceptions.ProxyError,),
        ServerAway,
        "no connection through the proxy",
        "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY",
    ),
    (
        (requests.exceptions.ChunkedEncodingError, Urllib3Error),
        ServerAway,
        "the answer ended too early",
        "",
    ),
    (
        (requests.ConnectionError,),
        ServerAway,
        "no connection",
        "check the URL, the network, and the proxy settings",
    ),
    (
        (requests.exceptions.InvalidSchema, requests.exceptions.InvalidURL),
        HttpError,
        "not a valid URL",
        "",
    ),
)


def _root(error: Exception) -> BaseException:
    """The operating system's error below those of the libraries, or the deepest of theirs."""
    root: BaseException = error
    while (deeper := root.__cause__ or root.__context__) is not None:
        root = deeper
        if isinstance(root, OSError):
            break
    return root


def authorities(*, verify: bool | str) -> bool | str:
    """The file of certificates to verify a server with; True for the usual ones."""
    if verify is not True:
        return verify
    variable = next((name for name in _BUNDLES if os.environ.get(name)), "")
    file = os.environ.get(variable, "")
    if file and not os.path.exists(file):  # noqa: PTH110 - a variable's text
        raise HttpError(f"{variable} names no file: {file}", hint=f"correct or unset {variable}")
    return file or True


class _Adapter(requests.adapters.HTTPAdapter):
    """Makes connections with a watch, to servers as to proxies."""

    def __init__(self, watch: Watch, options: Mapping[str, Any]) -> None:
        class Response(Watched):
            pass

        class Plain(HTTPConnection):
            response_class = Response

        class Secure(HTTPSConnection):
            response_class = Response

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        Response.watch = watch
        self._pools = {"http": PlainPool, "https": SecurePool}
        self._options = options
        super().__init__()

    def init_poolmanager(self, *words: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().init_poolmanager(*words, **{**options, **self._options})
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> ProxyManager:  # noqa: ANN401 - as above
        manager: ProxyManager = super().proxy_manager_for(proxy, **{**options, **self._options})
        manager.pool_classes_by_scheme = self._pools
        return manager
