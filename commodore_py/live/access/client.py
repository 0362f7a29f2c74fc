"""Requests to the API of a cluster with its credentials: of readers, and of those who may write."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text, process
from commodore_py.adapters.http import HttpError, NotFound
from commodore_py.adapters.http.address import is_one_word
from commodore_py.adapters.http.exchange import persistently
from commodore_py.adapters.http.server import Request, Server, Tls
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.process import Patience, ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.manifests.objects import Content

    from .kubeconfig import Access, Exec

log = logging.getLogger(__name__)

_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_PLUGIN_SECONDS = 60
_PLUGIN_BYTES = 1 << 20
_FILE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Shown:
    """Credentials as they are now."""

    authorization: str = ""
    certificate: bytes = b""
    key: bytes = b""


class Credentials:
    """The credentials of a context."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._shown: Shown | None = None
        self._until = 0.0

    def current(self) -> Shown:
        """Credentials for a request now."""
        with self._lock:
            if self._shown is None or time.time() >= self._until:
                self._shown, self._until = self._fresh()
            return self._shown

    def renew(self, shown: Shown) -> bool:
        """After a refusal of these: forget them; whether others can be had."""
        user = self._access.user
        if not user.token_file and user.exec is None:
            return False
        with self._lock:
            if self._shown is shown:  # else another thread has renewed them
                self._shown = None
        return True

    def _fresh(self) -> tuple[Shown, float]:
        user = self._access.user
        authorization, until = "", float("inf")
        if user.exec is not None:
            return _from_plugin(user.exec, self._access)
        if user.token_file:
            token = content_of(user.token_file).decode(errors="replace").strip()
            authorization = _bearer(token, where=user.token_file)
            until = time.time() + _FILE_SECONDS
        elif user.token:
            authorization = _bearer(user.token, where=self._access.origin)
        elif user.username:
            pair = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
            REDACTOR.learn(user.password)
            authorization = f"Basic {pair}"
        return Shown(authorization, user.certificate, user.key), until


def _bearer(token: str, *, where: str) -> str:
    if not is_one_word(token):
        raise CommodoreError(
            "invalid token: it must be printable ASCII characters without spaces", where=where
        )
    return f"Bearer {token}"


def _from_plugin(plugin: Exec, access: Access) -> tuple[Shown, float]:
    def failed(what: str) -> CommodoreError:
        return CommodoreError(
            f"the program for credentials, {plugin.command}, failed: {what}",
            where=access.origin,
            hint=plugin.install_hint.strip(),
        )

    if plugin.api_version not in _VERSIONS:
        raise failed(f"its version {plugin.api_version or '(none)'} is not known")
    if plugin.interactive == "Always":
        raise failed("it needs a terminal; log in with it first")
    log.info("running %s for credentials", plugin.command)
    request = json.dumps(_request(plugin, access))
    try:
        printed = process.run(
            [plugin.command, *plugin.arguments],
            env={**plugin.variables, "KUBERNETES_EXEC_INFO": request},
            patience=Patience(_PLUGIN_SECONDS, output=_PLUGIN_BYTES),
        )
    except ProgramFailed as error:
        raise failed((str(error).strip().splitlines() or [""])[-1]) from error
    try:
        answer = json_text.load(printed, name=plugin.command)
    except json_text.JsonError as error:
        raise failed("it printed no JSON") from error
    status = mapping(answer).get("status")
    if not isinstance(status, dict):
        raise failed("its answer has no status")
    fields = ("token", "clientCertificateData", "clientKeyData")
    token, certificate, key = (status.get(name) or "" for name in fields)
    if not all(isinstance(text, str) for text in (token, certificate, key)):
        raise failed("its answer has a token or certificate that is not a string")
    if not token and not (certificate and key):
        raise failed("its answer has neither a token nor a certificate with key")
    REDACTOR.learn(token, key)
    authorization = _bearer(token, where=plugin.command) if token else ""
    return Shown(authorization, certificate.encode(), key.encode()), _end_of(status)


def _request(plugin: Exec, access: Access) -> dict[str, Any]:
    spec: dict[str, Any] = {"interactive": False}
    if plugin.wants_cluster:
        fields = {
            "server": access.server,
            "certificate-authority-data": base64.b64encode(access.authority).decode(),
            "insecure-skip-tls-verify": not access.verify,
            "tls-server-name": access.tls_server_name,
            "proxy-url": access.proxy,
        }
        spec["cluster"] = {name: value for name, value in fields.items() if value}
    return {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}


def _end_of(status: dict[str, Any]) -> float:
    try:
        end = datetime.fromisoformat(str(status.get("expirationTimestamp")))
        return end.astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return float("inf")


UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, NOT_ACCEPTABLE = 401, 403, 404, 410, 406
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"  # JSON is YAML
_MOST_ANSWER = 1 << 28
AT_ONCE = 8
"""How many requests those who send several have under way."""


class Client:
    """Reads from the API of one cluster, from any thread; it cannot write."""

    def __init__(self, access: Access, *, timeout: float = 45) -> None:
        self.access = access
        self._timeout = timeout
        self._credentials = Credentials(access)
        self._servers: dict[tuple[bytes, bytes], Server] = {}

    def get(
        self, path: str, params: Mapping[str, str] | None = None, *, accept: str = _JSON
    ) -> Any:  # noqa: ANN401 - the door: callers parse
        """The answer to a GET."""
        return self._exchange(Request("GET", path, params or {}, [("Accept", accept)]))

    def find(self, path: str) -> dict[str, Any] | None:
        """The object at a path; None if there is none."""
        try:
            return mapping(self.get(path))
        except NotFound:
            return None

    def readable(self, path: str) -> dict[str, Any]:
        """The object at a path; empty if the server refuses to show it."""
        try:
            return mapping(self.get(path))
        except HttpError as error:
            if not error.status:  # no answer
                raise
            return {}

    def now(self) -> float:
        """The time by the clock of the server, as it said it last; ours, if it never did."""
        return time.time() + next((server.ahead for server in self._servers.values()), 0.0)

    def close(self) -> None:
        """End all requests that are under way."""
        for server in tuple(self._servers.values()):
            server.close()

    def _exchange(self, request: Request) -> Any:  # noqa: ANN401 - the door: callers parse
        where = f"{self.access.server}{request.path}"

        def sent(shown: Shown) -> bytes:
            headers = [*request.headers, *self.access.user.impersonation]
            if shown.authorization:
                headers.append(("Authorization", shown.authorization))
            return self._server(shown).body(replace(request, headers=headers), _MOST_ANSWER)

        text = persistently(lambda: self._authenticated(sent), where)
        return json_text.load(text, name=where)

    def _authenticated(self, act: Callable[[Shown], bytes]) -> bytes:
        """Do it with the credentials, and once more with new ones if they are refused."""
        shown = self._credentials.current()
        try:
            return act(shown)
        except HttpError as error:
            if error.status != UNAUTHORIZED or not self._credentials.renew(shown):
                raise
        return act(self._credentials.current())

    def _server(self, shown: Shown) -> Server:
        server = self._servers.get((shown.certificate, shown.key))
        if server is None:
            access = self.access
            tls = Tls(
                access.authority,
                shown.certificate,
                shown.key,
                access.verify,
                access.tls_server_name,
            )
            server = Server(access.server, tls=tls, proxy=access.proxy, timeout=self._timeout)
            self._servers[shown.certificate, shown.key] = server
        return server


class Writer(Client):
    """Applies and deletes objects; only `live apply`, and dry runs of a diff, use it."""

    def apply(
        self,
        path: str,
        content: Content,
        *,
        manager: str,
        force: bool = False,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Apply an object on the server; what it is afterwards."""
        params = {"fieldManager": manager, "fieldValidation": "Strict"}
        params |= {"force": "true"} if force else {}
        params |= {"dryRun": "All"} if dry_run else {}
        headers = [("Accept", _JSON), ("Content-Type", _APPLY)]
        return mapping(self._exchange(Request("PATCH", path, params, headers, content)))

    def delete(self, path: str, *, uid: str, version: str) -> None:
        """Delete an object with all that it owns, if it is still the one that was seen."""
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground",
            "preconditions": {"uid": uid, "resourceVersion": version},
        }
        headers = [("Accept", _JSON), ("Content-Type", _JSON)]
        self._exchange(Request("DELETE", path, {}, headers, options))
