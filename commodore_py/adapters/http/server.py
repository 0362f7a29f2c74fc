"""Many requests to one server: kept connections, certificates, the clock."""

from __future__ import annotations

import json
import os
import ssl
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import requests
from requests.utils import get_environ_proxies
from urllib3 import HTTPHeaderDict, disable_warnings
from urllib3.exceptions import InsecureRequestWarning

from commodore_py.adapters import ending
from commodore_py.adapters.masking import REDACTOR

from .errors import HttpError, read_whole, refused
from .session import Watch, sending, session, translating

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Tls:
    """How a server and this client prove who they are."""

    authority: bytes = b""
    """Certificates in PEM; those of the system, if empty."""
    certificate: bytes = b""
    key: bytes = b""
    verify: bool = True
    server_name: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; headers may occur several times."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Sequence[tuple[str, str]]
    body: object = None


class Server:
    """Sends requests to one server, from any thread; redirects are not followed."""

    def __init__(self, url: str, *, tls: Tls, proxy: str = "", timeout: float) -> None:
        self.url = url
        self._tls = tls
        self._timeout = timeout
        self._proxies = {"http": proxy, "https": proxy} if proxy else get_environ_proxies(url)
        self._of_thread = threading.local()
        self._closed = threading.Event()
        self.ahead = 0.0
        """Seconds by which the clock of the server is ahead of ours, by its last answer."""
        try:
            self._context = _context(tls) if url.startswith("https://") else None
        except ssl.SSLError as error:
            raise HttpError(
                f"the certificates for the server cannot be used: {error.reason or error}",
                where=url,
                hint="they must be in PEM, and the key must belong to the certificate",
            ) from error
        if not tls.verify:
            disable_warnings(InsecureRequestWarning)

    def close(self) -> None:
        """End all exchanges, those that are under way as well."""
        self._closed.set()

    def body(self, request: Request, limit: int) -> bytes:
        """The body of the answer to a request; an `HttpError` if it is refused."""
        with self._responding(request) as response:
            with suppress(ValueError):
                date = parsedate_to_datetime(response.headers.get("Date", ""))
                self.ahead = date.timestamp() - time.time()
            read_whole(response, response.url, limit)
            return response.content

    @contextmanager
    def _responding(self, request: Request) -> Iterator[requests.Response]:
        if ending.asked():
            raise KeyboardInterrupt
        url = f"{self.url}{request.path}"
        opened, watch = self._session()
        watch.begin()
        with sending(url, self._timeout):
            response = opened.send(
                self._prepared(request, opened),
                stream=True,
                timeout=(self._timeout, self._timeout),
                verify=self._tls.verify,
                proxies=self._proxies,
                allow_redirects=False,
            )
        with translating(url, self._timeout), response:
            if response.status_code >= requests.codes.multiple_choices:
                raise refused(url, response)
            yield response

    def _prepared(self, request: Request, opened: requests.Session) -> requests.PreparedRequest:
        url = f"{self.url}{request.path}"
        body = None if request.body is None else json.dumps(request.body).encode()
        prepared = opened.prepare_request(
            requests.Request(
                request.method,
                url,
                params=request.params,
                data=body,
                # Instead of what requests would take from the URL or a netrc file.
                auth=lambda prepared: prepared,
            )
        )
        given = {name.lower() for name, _ in request.headers}
        headers = HTTPHeaderDict(
            (name, value) for name, value in prepared.headers.items() if name.lower() not in given
        )
        for name, value in request.headers:
            headers.add(name, value)
            if name == "Authorization":
                REDACTOR.learn(value.partition(" ")[2])
        prepared.headers = headers  # type: ignore[assignment]  # theirs cannot repeat a header
        return prepared

    def _session(self) -> tuple[requests.Session, Watch]:
        kept: tuple[requests.Session, Watch] | None = getattr(self._of_thread, "session", None)
        if kept is None:
            watch = Watch(self.url, "request", self._closed)
            options: dict[str, Any] = {"ssl_context": self._context} if self._context else {}
            if self._tls.server_name:
                options |= {
                    "server_hostname": self._tls.server_name,
                    "assert_hostname": self._tls.server_name,
                }
            made = session(watch, **options)
            made.trust_env = False  # no netrc, and the certificates are those of the kubeconfig
            kept = self._of_thread.session = made, watch
        return kept


def _context(tls: Tls) -> ssl.SSLContext:
    context = ssl.create_default_context(
        cadata=tls.authority.decode("ascii", "replace") if tls.authority else None
    )
    if not tls.verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if tls.certificate:
        _load_certificate(context, tls.certificate, tls.key)
    return context


def _load_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    # OpenSSL reads them from files only.
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, content in (("certificate", certificate), ("key", key)):
            path = os.path.join(folder, name)  # noqa: PTH118 - as `open` needs it
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:  # noqa: PTH123
                file.write(content)
            names.append(path)
        context.load_cert_chain(*names)
