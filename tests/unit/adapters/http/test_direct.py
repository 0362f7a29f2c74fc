"""What an API answers is the same, whether Python's own client or requests has asked."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py import __version__
from commodore_py.adapters import http, time_limits
from tests.support.servers import misbehaving, proxy

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\n"
JSON = b'{"id": "c-one"}'
ANSWERS = {
    "an object": OK + b"Content-Length: 15\r\n\r\n" + JSON,
    "until the end": OK + b"\r\n" + JSON,
    "an old version": b"HTTP/1.0 200 OK\r\n\r\n" + JSON,
    "in chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n",
    "nothing": b"HTTP/1.1 204 No Content\r\n\r\n",
    "no JSON": OK + b"\r\n<html>",
    "no text": OK + b"\r\n\xff",
    "a reason": b'HTTP/1.1 401 Unauthorized\r\n\r\n{"reason": "no token"}',
    "a page": b"HTTP/1.1 404 Not Found\r\n\r\n<html>",
    "a limit": b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 900\r\n\r\n",
    "away": b"HTTP/1.1 503 Service Unavailable\r\n\r\n",
    "an unknown status": b"HTTP/1.1 599 X\r\n\r\n",
}
LEFT_TO_REQUESTS = {
    "two lengths": OK + b"Content-Length: 15\r\nContent-Length: 5\r\n\r\n" + JSON,
    "an odd length": OK + b"Content-Length: -5\r\n\r\n" + JSON,
    "half of it": OK + b"Content-Length: 30\r\n\r\n" + JSON,
    "half of the chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n30\r\n[",
    "an encoding that it is not in": OK + b"Content-Encoding: gzip\r\n\r\n" + JSON,
    "a redirection to nowhere": b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
    "no HTTP": b"hello\r\n",
}


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    # With proxies, which keep all other tests away from the network, requests would always ask.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


def _answers(content: bytes) -> Callable[[misbehaving.Connection], None]:
    def behave(connection: misbehaving.Connection) -> None:
        connection.request()
        connection.socket.sendall(content)

    return behave


def _asked(content: bytes) -> tuple[str, int]:
    """What comes of an answer, in a server's own words, and how often it was asked."""
    with misbehaving.serve(_answers(content)) as server:
        try:
            found = repr(http.get_json(f"{server.url}/a", token="t-1", timeout=5, pauses=()))
        except http.HttpError as error:
            found = repr((type(error), str(error), error.hint, error.status, error.answer))
        assert all(b"\r\nAuthorization: Bearer t-1\r\n" in one for one in server.requests)
        return found.replace(server.url, "URL"), len(server.requests)


@pytest.mark.parametrize("content", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_understood_in_the_same_way(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = _asked(content)
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    assert direct == _asked(content)
    assert direct[1] == 1


@pytest.mark.parametrize("content", LEFT_TO_REQUESTS.values(), ids=LEFT_TO_REQUESTS)
def test_an_odd_answer_is_left_to_requests(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    direct = _asked(content)
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    assert direct[0] == _asked(content)[0]


@pytest.fixture
def _short_limit() -> Iterator[None]:
    usual = time_limits.current()
    time_limits.use(usual._replace(request=0.6))
    yield
    time_limits.use(usual)


@pytest.mark.usefixtures("_short_limit")
@pytest.mark.parametrize(
    "behaviour", [misbehaving.silent_after_request, misbehaving.drips_headers, misbehaving.reset]
)
def test_a_failure_is_the_same(
    behaviour: misbehaving.Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failure() -> tuple[str, str]:
        with misbehaving.serve(behaviour) as server, pytest.raises(http.HttpError) as caught:
            http.get_json(server.url, timeout=0.3, pauses=())
        return str(caught.value).replace(server.url, "URL"), caught.value.hint

    direct = failure()
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    assert direct == failure()


@pytest.mark.parametrize(
    ("alternative", "message"),
    [("localhost", ""), ("other.example", "Hostname mismatch"), ("", "Hostname mismatch")],
)
@pytest.mark.parametrize("tuning", ["", "off"])
def test_a_certificate_names_its_host_among_the_alternative_names(
    alternative: str, message: str, tuning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, tls = proxy.certificate(tmp_path, "localhost", alternative)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(file))
    monkeypatch.setenv("COMMODORE_TUNING", tuning)

    with misbehaving.serve(_securely(tls, ANSWERS["an object"])) as server:
        url = f"https://localhost:{server.port}/a"
        try:
            found = str(http.get_json(url, token="t-1", timeout=5, pauses=()))
        except http.HttpError as error:
            found = str(error)

    assert (message or "c-one") in found
    assert len(server.requests) == (not message)


def _securely(tls: ssl.SSLContext, content: bytes) -> Callable[[misbehaving.Connection], None]:
    def behave(connection: misbehaving.Connection) -> None:
        with tls.wrap_socket(connection.socket, server_side=True) as secure:
            connection.socket = secure
            _answers(content)(connection)

    return behave


def test_every_request_names_this_program(monkeypatch: pytest.MonkeyPatch) -> None:
    with misbehaving.serve(_answers(ANSWERS["an object"])) as server:
        http.get_json(server.url, timeout=5)
        monkeypatch.setenv("COMMODORE_TUNING", "off")
        http.get_json(server.url, timeout=5)

    names = [_header(request, "User-Agent") for request in server.requests]
    assert names == [f"commodore/{__version__}"] * 2


def _header(request: bytes, name: str) -> str:
    lines = (line.partition(": ") for line in request.decode().splitlines())
    return next(value for key, _, value in lines if key == name)


@pytest.mark.parametrize(
    ("path", "variable", "imported"),
    [
        ("/clusters/c-one", "", False),
        ("", "", False),
        ("/clusters/c%2Done", "", True),
        ("/a/../b", "", True),
        ("/clusters?tenant=t-one", "", True),
        ("/clusters/c-one", "https_proxy", True),
        ("/clusters/c-one", "NO_PROXY", True),
        ("/clusters/c-one", "REQUESTS_CA_BUNDLE", False),
        ("/clusters/c-one", "COMMODORE_TUNING=off", True),
    ],
)
def test_requests_is_imported_only_for_what_it_is_needed_for(
    path: str, variable: str, *, imported: bool
) -> None:
    name, _, value = variable.partition("=")
    program = (
        "import sys; from commodore_py.adapters import http;"
        "http.get_json(sys.argv[1], timeout=9); print('requests' in sys.modules)"
    )
    with misbehaving.serve(_answers(ANSWERS["an object"])) as server:
        done = subprocess.run(
            [sys.executable, "-c", program, server.url + path],
            env={name: value or __file__} if name else {},
            capture_output=True,
            text=True,
            check=True,
        )

    assert done.stdout.strip() == str(imported)
