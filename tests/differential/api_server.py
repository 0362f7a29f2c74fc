"""A real API server: its verdict about an object, by a strict dry run."""

from __future__ import annotations

import base64
import json
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import urllib3
import yaml

from tests.real import servers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commodore_py.manifests.objects import Content

_OK = 200
_CREATED = (_OK, 201, 202)


class Answer(NamedTuple):
    """What the server answered: the reason is empty if it would create the object."""

    reason: str
    message: str
    causes: tuple[tuple[str, str, str], ...] = ()
    """Kind of error, field and message."""


class Server:
    """A running API server."""

    def __init__(self, kubeconfig: str) -> None:
        content = yaml.safe_load(kubeconfig)
        self._url = content["clusters"][0]["cluster"]["server"]
        token = content["users"][0]["user"]["token"]
        authority = content["clusters"][0]["cluster"]["certificate-authority-data"]
        trusted = ssl.create_default_context(cadata=base64.b64decode(authority).decode())
        self._pool = urllib3.PoolManager(maxsize=8, ssl_context=trusted)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    def version(self) -> tuple[int, int]:
        """Major and minor version."""
        found = self._get("/version")
        return int(found["major"]), int(found["minor"].rstrip("+"))

    def create(self, content: Content, *, dry: bool = True) -> Answer:
        """Whether the server creates an object."""
        question = "?fieldValidation=Strict" + ("&dryRun=All" if dry else "")
        response = self._pool.request(
            "POST",
            self._url + self._path(content) + question,
            body=json.dumps(content).encode(),
            headers=self._headers,
        )
        if response.status in _CREATED:
            return Answer("", "")
        status: Any = json.loads(response.data)
        causes = tuple(
            (one.get("reason", ""), one.get("field", ""), one.get("message", ""))
            for one in (status.get("details") or {}).get("causes", ())
        )
        return Answer(status.get("reason") or str(response.status), status["message"], causes)

    def verdicts(self, contents: Sequence[Content]) -> list[Answer]:
        """The answers for many objects."""
        with ThreadPoolExecutor(4) as threads:
            return list(threads.map(self.create, contents))

    def wait_for(self, group: str, kinds: int, version: str = "v1") -> None:
        """Until the server serves this many kinds of a group."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            path = f"{self._url}/apis/{group}/{version}"
            response = self._pool.request("GET", path, headers=self._headers)
            found = response.json()["resources"] if response.status == _OK else ()
            if sum("/" not in one["name"] for one in found) >= kinds:
                return
            time.sleep(0.2)
        raise TimeoutError(group)

    def _get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self._pool.request("GET", self._url + path, headers=self._headers).data)

    def _path(self, content: Content) -> str:
        api_version, kind = str(content["apiVersion"]), str(content["kind"])
        base = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
        if (api_version, kind) not in self._resources:
            for one in self._get(base)["resources"]:
                if "/" not in one["name"]:
                    self._resources[api_version, one["kind"]] = one["name"], one["namespaced"]
        name, namespaced = self._resources[api_version, kind]
        metadata: Any = content["metadata"]
        namespace = metadata.get("namespace") or "default"
        return f"{base}/namespaces/{namespace}/{name}" if namespaced else f"{base}/{name}"


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server for these tests, without controllers."""
    with servers.kubernetes(folder, controllers=False) as kubeconfig:
        yield Server(kubeconfig.read_text())
