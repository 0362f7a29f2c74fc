"""Requests to a real Kubernetes."""

from __future__ import annotations

import json
import ssl
from http.client import HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from commodore_py.live.access import kubeconfig

_JSON = "application/json"


class Server:
    """Sends requests, each on a connection of its own."""

    def __init__(self, access: kubeconfig.Access) -> None:
        context = ssl.create_default_context(cadata=access.authority.decode())
        host = urlsplit(access.server)
        self._connection = HTTPSConnection(host.hostname or "", host.port, context=context)
        self._headers = {"Authorization": f"Bearer {access.user.token}"}

    def send(self, method: str, path: str, content: object, form: str = _JSON) -> dict[str, Any]:
        """The answer; an object that is there already is left as it is."""
        headers = {**self._headers, "Content-Type": form}
        self._connection.request(method, path, json.dumps(content), headers)
        response = self._connection.getresponse()
        found: dict[str, Any] = json.load(response)
        self._connection.close()  # the next request opens it again
        if response.status >= 300 and response.status != 409:
            raise RuntimeError(f"{method} {path}: {found}")
        return found
