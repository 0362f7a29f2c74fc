"""Who may do what: tokens, sessions, hosts, origins, and bounds of requests."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, nullcontext, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import requests

from commodore_py.cli import run
from commodore_py.errors import CommodoreError
from commodore_py.serve.settings import read_tokens

from .daemon import SECRET, TOKENS, serving

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Playground
    from .daemon import Daemon

ONE = "/v1/clusters/c-demo-1"
VALUE = f"{ONE}/values/web_shop.replicas"


@pytest.mark.parametrize("path", ["/v1/clusters", VALUE, "/v1/openapi.json", "/v1/nothing"])
@pytest.mark.parametrize("token", ["", "Bearer", "Bearer no-such-token-anywhere", "Basic YTpi"])
def test_request_without_a_valid_token_is_refused(daemon: Daemon, path: str, token: str) -> None:
    headers = {"Authorization": token} if token else {}

    answer = daemon.call("GET", path, by="", headers=headers)

    assert answer.status_code in (401, 429)
    assert answer.json()["reasons"] == []


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1", "localhost:1", ""])
def test_other_host_is_refused(daemon: Daemon, host: str) -> None:
    assert daemon.call("GET", "/v1/clusters", headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_other_origin_is_refused(daemon: Daemon, origin: str, method: str) -> None:
    answer = daemon.call(method, VALUE, {"value": 1}, headers={"Origin": origin})

    assert answer.status_code == 403
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_session_begins_with_the_printed_url_and_changes_need_the_origin(daemon: Daemon) -> None:
    session = requests.Session()
    begun = session.get(f"{daemon.url}/login?token={TOKENS['bob']}", allow_redirects=False)

    cookie = begun.headers["set-cookie"]
    assert (begun.status_code, begun.headers["location"]) == (303, "/")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKENS["bob"] not in cookie
    assert session.get(f"{daemon.url}/v1/clusters").status_code == 200
    change = f"{daemon.url}{VALUE}?dry_run=true"
    assert session.put(change, json={"value": 3}).status_code == 403
    own = {"Origin": daemon.url}
    assert session.put(change, json={"value": 3}, headers=own).status_code == 200


def test_forged_session_is_refused(daemon: Daemon) -> None:
    cookies = {"commodore": f"ada:{'0' * 64}"}

    answer = requests.get(f"{daemon.url}/v1/clusters", cookies=cookies, timeout=10)

    assert answer.status_code in (401, 429)


def test_every_response_forbids_scripts_of_others(daemon: Daemon) -> None:
    for path in ("/v1/clusters", "/v1/nothing"):
        headers = daemon.call("GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/clusters/..%2F..%2Fetc/values/a",
        "/v1/clusters/../../etc/passwd",
        "/v1/clusters/c-demo-1%00/values/a",
        "/v1/clusters/%2e%2e/changes",
        f"{ONE}/values/..%2F..%2F..%2Fetc%2Fpasswd",
        f"{ONE}/live/..%2Ftree",
    ],
)
def test_path_tricks_lead_nowhere(daemon: Daemon, path: str) -> None:
    answer = daemon.call("GET", path)

    assert 400 <= answer.status_code < 500, answer.text
    assert "root:" not in answer.text


def test_huge_body_is_refused(daemon: Daemon) -> None:
    with socket.create_connection(_address(daemon), timeout=10) as connection:
        head = f"PUT {VALUE} HTTP/1.1\r\nHost: {_host(daemon)}\r\nContent-Length: 99999999999\r\n"
        token = f"Authorization: Bearer {TOKENS['ada']}\r\n\r\n"
        connection.sendall(f"{head}{token}".encode())
        assert b" 413 " in connection.recv(100)


def test_chunked_body_without_end_is_cut_off(daemon: Daemon) -> None:
    def endless() -> object:
        while True:
            yield b"x" * 65536

    with pytest.raises(requests.ConnectionError):
        raise (
            requests.ConnectionError
            if daemon.call("PUT", VALUE, data=endless()).status_code == 413
            else AssertionError
        )


@pytest.mark.long  # they are cut off after ten seconds
def test_slow_clients_do_not_keep_others_out_and_are_cut_off(daemon: Daemon) -> None:
    connections = [socket.create_connection(_address(daemon), timeout=30) for _ in range(200)]
    for connection in connections[:150]:
        connection.sendall(b"GET /v1/clusters HTTP/1.1\r\nHost: ")

    daemon.get("/v1/clusters")

    def received(connection: socket.socket) -> bytes:
        with suppress(ConnectionResetError):
            return connection.recv(10)
        return b""

    with ThreadPoolExecutor(20) as pool:
        ends = list(pool.map(received, connections))
    for connection in connections:
        connection.close()
    assert set(ends) == {b""}


def test_connections_of_many_addresses_do_not_keep_others_out(daemon: Daemon) -> None:
    with ExitStack() as stack:
        for number in range(600):
            source = (f"127.0.0.{2 + number % 12}", 0)
            connection = socket.create_connection(_address(daemon), 30, source)
            stack.enter_context(closing(connection))
            connection.sendall(b"POST /login HTTP/1.1\r\nContent-Length: 9\r\nHost: ")

        daemon.get("/v1/clusters")


def test_secrets_of_callers_are_in_no_output(daemon: Daemon) -> None:
    daemon.call("GET", f"/login?token={TOKENS['ada']}", by="", allow_redirects=False)
    daemon.call("PUT", f"{VALUE}?dry_run=true", {"value": TOKENS["ada"]})

    answer = daemon.call("PUT", f"{VALUE}?dry_run=true", {"value": TOKENS["bob"]})

    assert TOKENS["bob"] not in answer.text
    assert TOKENS["ada"] not in "".join(daemon.lines)


def test_read_only_token_refuses_changes(daemon: Daemon) -> None:
    assert daemon.call("PUT", VALUE, {"value": 2}, by="eve").status_code == 403
    assert daemon.call("POST", f"{ONE}/push", by="eve").status_code == 403
    assert daemon.call("GET", VALUE, by="eve").status_code == 200


def test_secret_of_webhooks_is_no_token(daemon: Daemon) -> None:
    headers = {"Authorization": f"Bearer {SECRET}"}

    assert daemon.call("GET", "/v1/clusters", by="", headers=headers).status_code in (401, 429)


def test_certificate_names_the_hosts(playground: Playground, tmp_path: Path) -> None:
    file = tmp_path / "tls.pem"
    names = "subjectAltName=DNS:clusters.example.com,IP:127.0.0.1"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=clusters", "-addext", names, "-keyout", str(file), "-out", "cert.pem"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    file.write_bytes(file.read_bytes() + (tmp_path / "cert.pem").read_bytes())
    options = ("--tls", str(file))
    (tmp_path / "work").mkdir()
    with serving(tmp_path / "work", playground.facts, *options, home=playground.home) as daemon:
        assert daemon.url.startswith("https://clusters.example.com:")
        port = daemon.url.rpartition(":")[2]
        headers = {"Host": f"clusters.example.com:{port}"}
        headers["Authorization"] = f"Bearer {TOKENS['ada']}"
        url = f"https://127.0.0.1:{port}/v1/clusters"
        cert = str(tmp_path / "cert.pem")
        assert requests.get(url, headers=headers, timeout=30, verify=cert).status_code == 200
        assert daemon.stop(signal.SIGINT) == 0


def test_token_file_is_made_with_a_token_that_is_returned_once(tmp_path: Path) -> None:
    file = tmp_path / "new" / "tokens"

    tokens, made = read_tokens(file)

    assert [one.value for one in tokens.values()] == [made]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_tokens(file) == (tokens, "")


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        ("ada long-enough-token-of-ada\n", 0o644, "may be read or written by others"),
        ("ada short\n", 0o600, "has an invalid line 1"),
        ("# nobody\n", 0o600, "has no token"),
        ("ada long-enough-token-1\nada long-enough-token-2\n", 0o600, "invalid line 2"),
        ("../x long-enough-token-of-x\n", 0o600, "has an invalid line 1"),
    ],
)
def test_unusable_token_file_is_refused(tmp_path: Path, content: str, mode: int, why: str) -> None:
    file = tmp_path / "tokens"
    file.touch(mode=mode)
    file.write_text(content)

    with pytest.raises(CommodoreError, match=why):
        read_tokens(file)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize(
    ("owner", "mode", "caller", "is_refused"),
    [
        (0, 0o600, 0, False),
        (0, 0o444, 1000, False),
        (0, 0o664, 1000, True),
        (0, 0o444, 0, True),
        (1000, 0o600, 0, True),
    ],
)
def test_token_file_of_root_is_read_by_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: int,
    mode: int,
    caller: int,
    *,
    is_refused: bool,
) -> None:
    file = tmp_path / "tokens"
    file.write_text("ada long-enough-token-of-ada\n")
    file.chmod(mode)
    os.chown(file, owner, owner)
    monkeypatch.setattr("os.geteuid", lambda: caller)

    with pytest.raises(CommodoreError) if is_refused else nullcontext():
        assert list(read_tokens(file)[0]) == ["ada"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--port", "0.0.0.0:0"), "can be reached from other machines"),
        (("--port", "[::]:0"), "can be reached from other machines"),
        (("--port", "x"), "is not [ADDRESS:]PORT"),
        (("--port", "0", "--token-file", "tokens"), "the token file is in the working directory"),
        (("--port", "0", "--tls", __file__), "the certificate cannot be used"),
    ],
)
def test_unsafe_settings_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(("serve", *options)) == 2
    assert why in capsys.readouterr().err


def _address(daemon: Daemon) -> tuple[str, int]:
    parts = urlsplit(daemon.url)
    return str(parts.hostname), int(parts.port or 0)


def _host(daemon: Daemon) -> str:
    return urlsplit(daemon.url).netloc


def test_request_that_ends_before_its_body_changes_nothing(
    daemon: Daemon, playground: Playground
) -> None:
    before = playground.classes()
    place = urlsplit(daemon.url)
    body = b'{"value": 7}'
    head = (
        f"PUT {VALUE} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {TOKENS['ada']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body) + 20}\r\n\r\n"
    )

    with socket.create_connection((place.hostname or "", place.port or 0), 10) as client:
        client.sendall(head.encode() + body)

    assert daemon.get(VALUE)["value"] == 2
    assert playground.classes() == before


@pytest.mark.parametrize("content", ["[" * 600 + "]" * 600, '{"a":' * 200 + "1" + "}" * 200])
def test_value_that_is_nested_deeply_is_refused(daemon: Daemon, content: str) -> None:
    answer = daemon.call(
        "PUT",
        VALUE,
        headers={"Content-Type": "application/json"},
        data=f'{{"value": {content}}}',
    )

    assert answer.status_code == 422
    assert "128 levels" in answer.text


def test_login_takes_a_short_body_only(daemon: Daemon) -> None:
    answer = daemon.call("POST", "/login", by="", data={"token": "x" * 5000})

    assert answer.status_code == 413


def test_form_without_a_value_changes_nothing(daemon: Daemon, playground: Playground) -> None:
    before = playground.classes()

    answer = daemon.call(
        "POST", "/clusters/c-demo-1/values", data={"path": "web_shop.replicas", "do": "save"}
    )

    assert answer.status_code == 422
    assert playground.classes() == before


@pytest.mark.parametrize(("header", "status"), [("", 400), ('""', 400), ("*", 200), ('"x"', 409)])
def test_version_that_a_change_is_for(daemon: Daemon, header: str, status: int) -> None:
    change = f"{VALUE}?dry_run=true"

    answer = daemon.call("PUT", change, {"value": 3}, headers={"If-Match": header})

    assert answer.status_code == status
