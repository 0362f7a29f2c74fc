"""Servers that are silent, slow or busy: an error in time, or patience where they ask for it."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import http
from commodore_py.adapters.http import HttpError, ServerAway, TooMany, exchange
from commodore_py.adapters.http.exchange import retry_after
from commodore_py.adapters.http.registry import Reference, Registry
from tests.support.servers import misbehaving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.servers.misbehaving import Behaviour, Connection

    from .conftest import SetLimits

pytestmark = pytest.mark.sample(4)

_LONG = 20
"""Seconds that nobody may wait for here: generous, as machines may be busy."""


def ask_api(url: str, _: Path) -> object:
    return http.get_json(url, timeout=30)


def send_report(url: str, _: Path) -> object:
    return http.post_json(url, {"a": 1}, timeout=30)


def send_form(url: str, _: Path) -> object:
    return http.post_form(url, {"a": "1"}, timeout=30)


def read_a_small_file(url: str, _: Path) -> object:
    return exchange.read(exchange.Request(url, timeout=30), 1 << 20)


def fetch_a_file(url: str, folder: Path) -> object:
    return exchange.fetch(exchange.Request(url, timeout=30), folder / "file")


def fetch_as_it_is(url: str, folder: Path) -> object:
    return exchange.fetch(exchange.Request(url, timeout=30, raw=True), folder / "file")


def list_tags(url: str, _: Path) -> object:
    host = url.removeprefix("http://")
    registry = Registry(Reference(host, "charts/web"), 30, plain_http=True, login=lambda _: None)
    return registry.tags()


DOORS = (
    *(ask_api, send_report, send_form, read_a_small_file),
    *(fetch_a_file, fetch_as_it_is, list_tags),
)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("behave", misbehaving.ENDLESS)
def test_endless_response_times_out(
    limits: SetLimits, tmp_path: Path, door: Callable[[str, Path], object], behave: Behaviour
) -> None:
    limits(request=0.3, download=0.3)

    began = time.monotonic()
    with misbehaving.serve(behave) as server, pytest.raises(HttpError) as raised:
        door(server.url, tmp_path)
    assert time.monotonic() - began < _LONG

    assert str(raised.value) == "no complete answer within 0.3 seconds"
    assert raised.value.hint.startswith("to wait longer, set time-limits.")
    assert server.host in raised.value.where


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("behave", misbehaving.BROKEN)
def test_broken_response_is_an_error(
    limits: SetLimits, tmp_path: Path, door: Callable[[str, Path], object], behave: Behaviour
) -> None:
    limits(request=5, download=5)

    with misbehaving.serve(behave) as server, pytest.raises(HttpError) as raised:
        door(server.url, tmp_path)

    assert server.host in raised.value.where


def test_silent_server_is_timeout_error(limits: SetLimits) -> None:
    limits(request=30)

    with (
        misbehaving.serve(misbehaving.silent_after_request) as server,
        pytest.raises(HttpError, match="no answer within 1 seconds") as raised,
    ):
        http.get_json(server.url, timeout=1)

    assert "--request-timeout" in raised.value.hint


def test_redirects_share_their_time(limits: SetLimits) -> None:
    limits(request=1)

    with (
        misbehaving.serve(misbehaving.redirects_and_drips) as server,
        pytest.raises(HttpError, match="no complete answer within 1 seconds"),
    ):
        http.get_json(server.url, timeout=5)

    assert 2 <= len(server.requests) <= 4


def test_slow_answer_is_read_without_limit(limits: SetLimits) -> None:
    limits(request=0)

    with misbehaving.serve(slowly(b"[1, 2]")) as server:
        assert http.get_json(server.url, timeout=5) == [1, 2]


def test_oversized_response_is_an_error(limits: SetLimits) -> None:
    limits(request=0)

    with (
        misbehaving.serve(floods) as server,
        pytest.raises(HttpError, match="answered with more than 67108864 bytes"),
    ):
        http.get_json(server.url, timeout=30)


def floods(connection: Connection) -> None:
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not connection.ended.is_set():
        connection.socket.sendall(bytes(1 << 20))


def slowly(content: bytes) -> Behaviour:
    def behave(connection: Connection) -> None:
        connection.request()
        connection.socket.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for index in range(len(content)):
            connection.socket.sendall(content[index : index + 1])
            connection.wait(0.3)

    return behave


def answers(status: str, *headers: str, content: bytes = b"{}") -> Behaviour:
    head = "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(content)}"])

    def behave(connection: Connection) -> None:
        connection.request()
        connection.socket.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode() + content)

    return behave


FINE = answers("200 OK", content=b"[1]")
PAST = f"Retry-After: {formatdate(0, usegmt=True)}"


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
@pytest.mark.parametrize("when", ["Retry-After: 1", "Retry-After: 0", PAST, "X-Nothing: 1"])
def test_retry_after_of_busy_server_is_respected(status: str, when: str) -> None:
    busy = answers(status, when)

    with misbehaving.serve(busy, busy, FINE) as server:
        began = time.monotonic()
        assert http.get_json(server.url, timeout=5) == [1]

    assert len(server.requests) == 3
    assert time.monotonic() - began >= (2 if when == "Retry-After: 1" else 0)


@pytest.mark.parametrize("when", ["3600", "99999999999999", "31"])
def test_long_retry_after_is_an_error(when: str) -> None:
    with (
        misbehaving.serve(answers("429 Too Many Requests", f"Retry-After: {when}")) as server,
        pytest.raises(TooMany, match="answered 429 Too Many Requests") as raised,
    ):
        http.get_json(server.url, timeout=5)

    assert raised.value.hint.startswith(f"the server requests a pause of {when[:12]} seconds")
    assert "time-limits.retry = " in raised.value.hint
    assert len(server.requests) == 1


def test_server_that_stays_busy_is_an_error() -> None:
    with (
        misbehaving.serve(answers("503 Service Unavailable", "Retry-After: 0")) as server,
        pytest.raises(ServerAway, match="answered 503"),
    ):
        http.get_json(server.url, timeout=5)

    assert len(server.requests) == 6


def test_total_wait_is_limited(limits: SetLimits) -> None:
    limits(retry=1.5)

    with (
        misbehaving.serve(answers("429 Too Many Requests", "Retry-After: 1")) as server,
        pytest.raises(TooMany),
    ):
        http.get_json(server.url, timeout=5)

    assert len(server.requests) == 2


def test_post_is_retried_only_if_refused_as_busy() -> None:
    busy = answers("429 Too Many Requests", "Retry-After: 0")
    with misbehaving.serve(busy, FINE) as server:
        assert http.post_json(server.url, {}, timeout=5) == [1]
    assert len(server.requests) == 2

    away = answers("503 Service Unavailable", "Retry-After: 0")
    with misbehaving.serve(away, FINE) as server, pytest.raises(ServerAway):
        http.post_json(server.url, {}, timeout=5)
    assert len(server.requests) == 1


def test_downloads_wait_for_busy_servers(tmp_path: Path) -> None:
    busy = answers("429 Too Many Requests", "Retry-After: 0")
    with misbehaving.serve(busy, FINE) as server:
        exchange.fetch(exchange.Request(server.url, timeout=5), tmp_path / "file")

    assert (tmp_path / "file").read_bytes() == b"[1]"


@pytest.mark.parametrize(
    "text", ["", "soon", "-1", "1.5", "٣", "Mon", "Fri, 99 Foo 2026 99:99:99 GMT", "1" * 400]
)
def test_invalid_retry_after_is_ignored(text: str) -> None:
    pause = retry_after({"Retry-After": text})

    assert pause is None or text.startswith("1")


def test_negative_content_length_is_an_error(tmp_path: Path) -> None:
    lying = misbehaving.serve(misbehaving.claims_less_than_nothing)
    with lying as server, pytest.raises(HttpError, match="invalid Content-Length: -5"):
        exchange.fetch(exchange.Request(server.url, timeout=5), tmp_path / "file")

    assert not (tmp_path / "file").exists()
