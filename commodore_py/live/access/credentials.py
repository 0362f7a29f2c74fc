"""What requests show to prove who sends them; renewed when it ends."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text, process, reading
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.process_watch import Patience
from commodore_py.errors import CommodoreError, of_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .kubeconfig import Access, Exec

log = logging.getLogger(__name__)

_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_PLUGIN_SECONDS = 60
_FILE_SECONDS = 60


class Shown(NamedTuple):
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
        """What to show now."""
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
        never = float("inf")
        if user.exec is not None:
            return _from_plugin(user.exec, self._access)
        if user.token_file:
            authorization = f"Bearer {_token_in(user.token_file)}"
            return Shown(authorization, user.certificate, user.key), time.time() + _FILE_SECONDS
        if user.token:
            return Shown(f"Bearer {user.token}", user.certificate, user.key), never
        if user.username:
            pair = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
            REDACTOR.learn(user.password)
            return Shown(f"Basic {pair}", user.certificate, user.key), never
        return Shown("", user.certificate, user.key), never


def impersonation(access: Access) -> Iterator[tuple[str, str]]:
    """The headers of requests that act as somebody else."""
    wanted = access.user.impersonate
    if wanted.user:
        yield "Impersonate-User", wanted.user
    for group in wanted.groups:
        yield "Impersonate-Group", group
    if wanted.uid:
        yield "Impersonate-Uid", wanted.uid


def _token_in(path: str) -> str:
    try:
        return reading.text_of(path).strip()
    except OSError as error:
        raise of_system(error) from error


def _from_plugin(plugin: Exec, access: Access) -> tuple[Shown, float]:
    if plugin.api_version not in _VERSIONS:
        raise _failed(plugin, access, f"its version {plugin.api_version or '(none)'} is not known")
    log.info("running %s for credentials", plugin.command)
    if plugin.interactive == "Always":
        raise _failed(plugin, access, "it needs a terminal; log in with it first")
    variables = {
        **dict(plugin.variables),
        "KUBERNETES_EXEC_INFO": json.dumps(_request(plugin, access)),
    }
    try:
        printed = process.run(
            [plugin.command, *plugin.arguments],
            env=variables,
            patience=Patience(_PLUGIN_SECONDS, _PLUGIN_SECONDS),
        )
    except ProgramFailed as error:
        raise _failed(plugin, access, _last_line(error)) from error
    try:
        answer = json_text.load(printed, name=plugin.command)
    except json_text.JsonError as error:
        raise _failed(plugin, access, "it printed no JSON") from error
    return _answered(answer, plugin, access)


def _request(plugin: Exec, access: Access) -> dict[str, Any]:
    spec: dict[str, Any] = {"interactive": False}
    if plugin.wants_cluster:
        cluster: dict[str, Any] = {"server": access.server}
        if access.authority:
            data = base64.b64encode(access.authority).decode()
            cluster["certificate-authority-data"] = data
        if not access.verify:
            cluster["insecure-skip-tls-verify"] = True
        for key, value in (
            ("tls-server-name", access.tls_server_name),
            ("proxy-url", access.proxy),
        ):
            cluster |= {key: value} if value else {}
        spec["cluster"] = cluster
    return {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}


def _answered(answer: object, plugin: Exec, access: Access) -> tuple[Shown, float]:
    status = answer.get("status") if isinstance(answer, dict) else None
    if not isinstance(status, dict):
        raise _failed(plugin, access, "its answer has no status")
    token, certificate, key = (
        status.get(name) or "" for name in ("token", "clientCertificateData", "clientKeyData")
    )
    if not all(isinstance(one, str) for one in (token, certificate, key)):
        raise _failed(plugin, access, "its answer has a token or certificate that is not a string")
    if not token and not (certificate and key):
        raise _failed(plugin, access, "its answer has neither a token nor a certificate with key")
    REDACTOR.learn(token, key)
    authorization = f"Bearer {token}" if token else ""
    return Shown(authorization, certificate.encode(), key.encode()), _end_of(status)


def _end_of(status: dict[str, Any]) -> float:
    text = status.get("expirationTimestamp")
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC).timestamp()
    except ValueError:
        return float("inf")


def _last_line(error: ProgramFailed) -> str:
    notes = str(error).strip().splitlines() or [""]
    return notes[-1]


def _failed(plugin: Exec, access: Access, what: str) -> CommodoreError:
    return CommodoreError(
        f"the program for credentials, {plugin.command}, failed: {what}",
        where=access.origin,
        hint=plugin.install_hint.strip(),
    )
