"""Requests to the API of a cluster; this one can only read."""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import ending, json_text
from commodore_py.adapters.http import HttpError
from commodore_py.adapters.http.exchange import persistently
from commodore_py.adapters.http.sessions import Request, Server, Tls

from .credentials import Credentials, Shown, impersonation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeVar

    from .kubeconfig import Access

    Result = TypeVar("Result")

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, NOT_ACCEPTABLE = 401, 403, 404, 410, 406
_JSON = "application/json"
_MOST_ANSWER = 1 << 30
_MOST_AT_ONCE = 8
_PER_SECOND = 50


class Client:
    """Reads from the API of one cluster, from any thread."""

    def __init__(self, access: Access, *, timeout: float = 45) -> None:
        self.access = access
        self._timeout = timeout
        self._credentials = Credentials(access)
        self._as = tuple(impersonation(access))
        self._servers: dict[tuple[bytes, bytes], Server] = {}
        self._at_once = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._pace = _Pace(_PER_SECOND)

    def get(
        self, path: str, params: Mapping[str, str] | None = None, *, accept: str = _JSON
    ) -> Any:  # noqa: ANN401 - the door: callers parse
        """The answer to a GET."""
        return self._exchange("GET", path, params or {}, accept)

    def can(self, verb: str, group: str, resource: str, namespace: str = "") -> bool:
        """Whether the server lets this user do something."""
        attributes = {
            "verb": verb,
            "group": group,
            "resource": resource,
            "namespace": namespace,
        }
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        answer = self._exchange("POST", path, {}, _JSON, (review, _JSON))
        status = answer.get("status") if isinstance(answer, dict) else None
        return isinstance(status, dict) and status.get("allowed") is True

    def events(
        self, path: str, params: Mapping[str, str], *, accept: str, idle: float
    ) -> Iterator[Any]:
        """The events of a watch, until the server ends it; the last line may be half of one."""

        def begun(shown: Shown) -> Iterator[bytes]:
            lines = self._opened(shown, path, params, accept, idle)
            first = next(lines, b"")  # only now the request is sent, and may be refused
            return chain((first,), lines)

        for line in self._authenticated(begun):
            if line.strip():
                yield json_text.load(line, name=f"{self.access.server}{path}")

    def now(self) -> float:
        """The time by the clock of the server, as it said it last; ours, if it never did."""
        ahead = (one.ahead for one in self._servers.values())
        return time.time() + next(ahead, 0.0)

    def close(self) -> None:
        """End all requests that are under way."""
        for one in list(self._servers.values()):
            one.close()

    def _opened(
        self, shown: Shown, path: str, params: Mapping[str, str], accept: str, idle: float
    ) -> Iterator[bytes]:
        self._pace.wait()
        request = Request("GET", path, params, self._headers(shown, accept))
        return self._server(shown).lines(request, idle)

    def _exchange(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        accept: str,
        body: tuple[object, str] | None = None,
    ) -> Any:  # noqa: ANN401 - the door: callers parse
        where = f"{self.access.server}{path}"

        def sent(shown: Shown) -> bytes:
            self._pace.wait()
            content = (("Content-Type", body[1]),) if body is not None else ()
            headers = (*self._headers(shown, accept), *content)
            request = Request(method, path, params, headers, body[0] if body else None)
            with self._at_once:
                return self._server(shown).body(request, _MOST_ANSWER)

        text = persistently(lambda: self._authenticated(sent), where)
        return json_text.load(text, name=where)

    def _authenticated(self, act: Callable[[Shown], Result]) -> Result:
        """Do it with the credentials, and once more with new ones if they are refused."""
        shown = self._credentials.current()
        try:
            return act(shown)
        except HttpError as error:
            if error.status != UNAUTHORIZED or not self._credentials.renew(shown):
                raise
        return act(self._credentials.current())

    def _headers(self, shown: Shown, accept: str) -> tuple[tuple[str, str], ...]:
        identity = (("Authorization", shown.authorization),) if shown.authorization else ()
        return (("Accept", accept), *identity, *self._as)

    def _server(self, shown: Shown) -> Server:
        found = self._servers.get((shown.certificate, shown.key))
        if found is None:
            access = self.access
            tls = Tls(
                access.authority,
                shown.certificate,
                shown.key,
                access.verify,
                access.tls_server_name,
            )
            found = Server(access.server, tls=tls, proxy=access.proxy, timeout=self._timeout)
            self._servers[shown.certificate, shown.key] = found
        return found


class _Pace:
    """So many requests a second, the first second's at once."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._left = per_second
        self._at = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next request may be sent."""
        with self._lock:
            now = time.monotonic()
            gained = (now - self._at) * self._per_second
            self._left, self._at = min(self._per_second, self._left + gained) - 1, now
            pause = -self._left / self._per_second
        if pause > 0:
            ending.pause(pause)
