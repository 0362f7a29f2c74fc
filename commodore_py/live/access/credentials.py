"""Credentials for requests to a cluster, renewed when they end."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text, process
from commodore_py.adapters.http.address import is_one_word
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.process import Patience, ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
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
    status = answer.get("status") if isinstance(answer, dict) else None
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
