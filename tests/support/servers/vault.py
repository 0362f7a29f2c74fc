"""A real Vault and a double of it, behind a recorder of requests."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PROGRAM = "COMMODORE_VAULT"
_GIVEN = os.environ.get(PROGRAM)  # tests have no variables of ours
_HTTP = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Vault(Protocol):
    """What tests do with a server, as its administrator."""

    url: str
    token: str

    def write(self, mount: str, path: str, values: Mapping[str, str]) -> None: ...
    def delete(self, mount: str, path: str) -> None: ...
    def enable(self, mount: str, version: int) -> None: ...
    def limited_token(self, *paths: str) -> str:
        """A token that may only read the subkeys of paths in `secret`."""
        ...

    def app_role(self, *paths: str) -> tuple[str, str]: ...
    def seal(self) -> None: ...


class RealVault:
    """The program in its development mode: in memory, unsealed, on a loopback port."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - any answer
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - a server of ours
            f"{self.url}/v1/{path}", data, {"X-Vault-Token": self.token}, method=method
        )
        with _HTTP.open(request, timeout=10) as response:
            text = response.read()
        return json.loads(text) if text else None

    def write(self, mount: str, path: str, values: Mapping[str, str]) -> None:
        two = self.call("GET", f"sys/mounts/{mount}/tune").get("options") or {}
        if two.get("version") == "2":
            self.call("POST", f"{mount}/data/{path}", {"data": values})
        else:
            self.call("POST", f"{mount}/{path}", values)

    def delete(self, mount: str, path: str) -> None:
        self.call("DELETE", f"{mount}/data/{path}")

    def enable(self, mount: str, version: int) -> None:
        options = {"type": "kv", "options": {"version": str(version)}}
        self.call("POST", f"sys/mounts/{mount}", options)
        # A new engine of version 2 is upgraded in the background.
        time.sleep(0.3 * (version - 1))

    def limited_token(self, *paths: str) -> str:
        answer = self.call("POST", "auth/token/create", {"policies": [self._policy(*paths)]})
        return str(answer["auth"]["client_token"])

    def app_role(self, *paths: str) -> tuple[str, str]:
        self.call("POST", "sys/auth/approle", {"type": "approle"})
        role = "auth/approle/role/ci"
        self.call("POST", role, {"token_policies": self._policy(*paths)})
        secret = self.call("POST", f"{role}/secret-id", {})["data"]["secret_id"]
        return self.call("GET", f"{role}/role-id")["data"]["role_id"], secret

    def _policy(self, *paths: str) -> str:
        rules = [f'path "secret/subkeys/{one}" {{ capabilities = ["read"] }}' for one in paths]
        self.call("PUT", "sys/policies/acl/limited", {"policy": "\n".join(rules)})
        return "limited"

    def seal(self) -> None:
        self.call("PUT", "sys/seal")


@contextmanager
def real_vault(folder: Path) -> Iterator[RealVault]:
    """A server that is started for a test; without the program, the test is skipped."""
    program = _GIVEN or shutil.which("vault")
    if not program:
        pytest.skip(f"there is no vault in PATH: install it, or set {PROGRAM} to one")
    with socket.socket() as free, socket.socket() as other:
        for one in (free, other):
            one.bind(("127.0.0.1", 0))
        port, cluster = free.getsockname()[1], other.getsockname()[1]
    token, url = secrets.token_hex(16), f"http://127.0.0.1:{port}"
    options = ["-dev", "-dev-no-store-token", f"-dev-listen-address=127.0.0.1:{port}"]
    settings = {
        "HOME": str(folder),
        "VAULT_DEV_ROOT_TOKEN_ID": token,
        "VAULT_CLUSTER_ADDR": f"http://127.0.0.1:{cluster}",
    }
    with (folder / "vault.log").open("wb") as log:
        process = subprocess.Popen(
            [program, "server", *options], env=settings, stdout=log, stderr=log
        )
    try:
        server = RealVault(url, token)
        for _ in range(300):
            try:
                server.call("GET", "sys/mounts/secret/tune")
                break
            except OSError:
                time.sleep(0.1)
        yield server
    finally:
        process.kill()
        process.wait()


class _Double(BaseHTTPRequestHandler):
    server: DoubleVault

    def do_GET(self) -> None:
        self._answer(*self.server.get(self.path, self.headers.get("X-Vault-Token", "")))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(*self.server.login(self.path, body))

    def _answer(self, status: int, content: object) -> None:
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None: ...


_NOTHING: dict[str, Any] = {"errors": []}
_DENIED: dict[str, Any] = {"errors": ["permission denied"]}


class DoubleVault(ThreadingHTTPServer):
    """As much of a server as the check uses; it passes what the real one passes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Double)
        self.url, self.token = f"http://127.0.0.1:{self.server_port}", "root"
        self._versions = {"secret": 2}
        self._values: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self._limits: dict[str, tuple[str, ...]] = {}
        self._sealed = False

    def write(self, mount: str, path: str, values: Mapping[str, str]) -> None:
        self._values[mount, path] = values

    def delete(self, mount: str, path: str) -> None:
        self._values[mount, path] = None

    def enable(self, mount: str, version: int) -> None:
        self._versions[mount] = version

    def limited_token(self, *paths: str) -> str:
        self._limits["limited"] = paths
        return "limited"

    def app_role(self, *paths: str) -> tuple[str, str]:
        self._limits["by-role"] = paths
        return "role", "secret"

    def seal(self) -> None:
        self._sealed = True

    def login(self, path: str, body: Mapping[str, str]) -> tuple[int, Any]:
        if path == "/v1/auth/approle/login" and body == {"role_id": "role", "secret_id": "secret"}:
            return 200, {"auth": {"client_token": "by-role"}}
        return 400, {"errors": ["invalid role ID"]}

    def get(self, path: str, token: str) -> tuple[int, Any]:
        path = path.removeprefix("/v1/")
        if self._sealed:
            return 503, {"errors": ["Vault is sealed"]}
        if path.startswith("sys/internal/ui/mounts/"):
            return self._mount(path.removeprefix("sys/internal/ui/mounts/"), token)
        for mount, version in self._versions.items():
            if version == 1 and path.startswith(f"{mount}/") and token == self.token:
                return self._found(mount, path.removeprefix(f"{mount}/"), 1)
            for what in ("subkeys", "data"):
                if path.startswith(f"{mount}/{what}/"):
                    name = path.removeprefix(f"{mount}/{what}/")
                    limits = self._limits.get(token, ()) if what == "subkeys" else ()
                    if token == self.token or name in limits:
                        return self._found(mount, name, 2, what)
        return 403, _DENIED

    def _mount(self, mount: str, token: str) -> tuple[int, Any]:
        version = self._versions.get(mount)
        if version is None or not (token == self.token or token in self._limits):
            return 403, {"errors": ["preflight capability check returned 403"]}
        options = {"version": str(version)}
        return 200, {"data": {"type": "kv", "path": f"{mount}/", "options": options}}

    def _found(self, mount: str, name: str, version: int, what: str = "subkeys") -> tuple[int, Any]:
        if (mount, name) not in self._values:
            return 404, _NOTHING
        values = self._values[mount, name]
        if version == 1:
            return 200, {"data": values}
        metadata = {"deletion_time": "" if values is not None else "2026-01-01T00:00:00Z"}
        if values is None:
            return 404, {"data": {what: None, "metadata": metadata}}
        shown = dict.fromkeys(values) if what == "subkeys" else values
        return 200, {"data": {what: shown, "metadata": metadata}}


@contextmanager
def double_vault() -> Iterator[DoubleVault]:
    """The double, for as long as a test takes."""
    with serving(DoubleVault()) as server:
        yield server


class _Forward(BaseHTTPRequestHandler):
    server: Recorder

    def do_GET(self) -> None:
        self._forward(None)

    def do_POST(self) -> None:
        self._forward(self.rfile.read(int(self.headers["Content-Length"])))

    def _forward(self, body: bytes | None) -> None:
        self.server.requests.append(self.path)
        self.server.at_once.append(threading.active_count())
        time.sleep(self.server.delay)
        headers = {key: value for key, value in self.headers.items() if key.startswith("X-Vault")}
        url = f"{self.server.behind}{self.path}"
        try:
            request = urllib.request.Request(url, body, headers)  # noqa: S310 - as above
            with _HTTP.open(request, timeout=10) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        except OSError:
            pass  # nobody waits any more

    def log_message(self, *_: object) -> None: ...


class Recorder(ThreadingHTTPServer):
    """Forwards requests to a server, and remembers their paths."""

    daemon_threads = True

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), _Forward)
        self.url, self.behind = f"http://127.0.0.1:{self.server_port}", behind
        self.requests: list[str] = []
        self.at_once: list[int] = []
        self.delay = 0.0


@contextmanager
def recorded(server: Vault) -> Iterator[Recorder]:
    """A recorder in front of a server."""
    with serving(Recorder(server.url)) as recorder:
        yield recorder
