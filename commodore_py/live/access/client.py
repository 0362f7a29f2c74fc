"""Requests to the API of a cluster: of readers, and of those who may write."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.http import HttpError, NotFound
from commodore_py.adapters.http.exchange import persistently
from commodore_py.adapters.http.server import Request, Server, Tls

from .answers import mapping
from .credentials import Credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.manifests.objects import Content

    from .credentials import Shown
    from .kubeconfig import Access

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, NOT_ACCEPTABLE = 401, 403, 404, 410, 406
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"  # JSON is YAML
_MOST_ANSWER = 1 << 28
_MOST_AT_ONCE = 8


class Client:
    """Reads from the API of one cluster, from any thread; it cannot write."""

    def __init__(self, access: Access, *, timeout: float = 45) -> None:
        self.access = access
        self._timeout = timeout
        self._credentials = Credentials(access)
        self._servers: dict[tuple[bytes, bytes], Server] = {}
        self._at_once = threading.BoundedSemaphore(_MOST_AT_ONCE)

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
            with self._at_once:
                return self._server(shown).body(self._authorized(request, shown), _MOST_ANSWER)

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

    def _authorized(self, request: Request, shown: Shown) -> Request:
        headers = [*request.headers, *self.access.user.impersonation]
        if shown.authorization:
            headers.append(("Authorization", shown.authorization))
        return Request(request.method, request.path, request.params, headers, request.body)

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
