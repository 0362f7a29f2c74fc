"""Secrets in Vault: whether keys exist, if possible without reading a value, and their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote, urlsplit

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.workers import in_parallel

from .address import is_one_word
from .errors import HttpError, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import hvac

    from commodore_py.model.problems.vault import Login

_SECONDS, _AT_ONCE = 2.0, 8
_LARGEST = 1 << 20
_OK, _FORBIDDEN, _NOT_FOUND, _SEALED = 200, 403, 404, 503
_REDIRECTS = range(300, 400)

Outcome: TypeAlias = Literal["exists", "absent", "deleted", "unknown"]


@dataclass(frozen=True, slots=True)
class Place:
    """A secret in a key-value engine."""

    mount: str
    path: str


@dataclass(frozen=True, slots=True)
class Found:
    """The result for a secret; `keys` if it exists."""

    outcome: Outcome
    reason: str = ""
    keys: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    """Only of a secret that was read."""


class _Unknown(Exception):
    """It could not be found out, and why."""


class Server:
    """One server, and what it has said about its mounts."""

    def __init__(
        self,
        address: str,
        login: Login,
        *,
        namespace: str = "",
        seconds: float = _SECONDS,
    ) -> None:
        self._address = address
        self._login = login
        self._namespace = namespace
        self._seconds = seconds
        self.identity = login.identity()
        self._versions: dict[str, int] = {}

    def look_up(self, places: Iterable[Place]) -> dict[Place, Found]:
        """Look up secrets, each once, several at a time."""
        distinct = tuple(dict.fromkeys(places))
        try:
            client = self._client()
            for mount in sorted({place.mount for place in distinct}):
                self._mount(client, mount)
        except _Unknown as error:
            return dict.fromkeys(distinct, Found("unknown", str(error)))

        def look_up(place: Place) -> Found:
            try:
                return self._look_up(client, place)
            except _Unknown as error:
                return Found("unknown", str(error))

        return dict(zip(distinct, in_parallel(look_up, distinct, at_most=_AT_ONCE), strict=True))

    def read(self, place: Place) -> Found:
        """One secret, with its values."""
        try:
            client = self._client()
            if place.mount not in self._versions:
                self._mount(client, place.mount)
            return self._look_up(client, place, values=True)
        except _Unknown as error:
            return Found("unknown", str(error))

    def _client(self) -> hvac.Client:
        import hvac
        from hvac.adapters import RawAdapter

        from .session import Watch, limit

        if self._login.token and not is_one_word(self._login.token):
            raise _Unknown("the token for Vault is not one word of printable ASCII characters")
        REDACTOR.learn(self._login.token)
        # Whatever the hierarchy says, certificates are verified; hvac knows the user's own CA.
        client = hvac.Client(
            self._address,
            token=self._login.token,
            timeout=self._seconds,
            allow_redirects=False,
            adapter=RawAdapter,
            namespace=self._namespace or None,
        )
        # The limit is for all requests together.
        limit(client.adapter.session, Watch(self._address, "request"))
        if not self._login.token:
            client.token = self._token(client)
        return client

    def _token(self, client: hvac.Client) -> str:
        login = self._login
        if login.role_id:
            where, body = "approle", {"role_id": login.role_id, "secret_id": login.secret_id}
        elif login.kubernetes_role:
            where, body = (
                "kubernetes",
                {"role": login.kubernetes_role, "jwt": login.kubernetes_token},
            )
        else:
            raise _Unknown("there are no credentials: set VAULT_TOKEN")
        status, content = self._request(client, f"auth/{where}/login", body)
        token = _part(content, "auth", "client_token")
        if status != _OK or not isinstance(token, str):
            raise _Unknown(f"the login as {self.identity} failed: {_said(status, content)}")
        return token

    def _mount(self, client: hvac.Client, mount: str) -> None:
        """Find out which engine a mount has; a path of another one could be a value."""
        status, content = self._request(client, f"sys/internal/ui/mounts/{_quoted(mount)}")
        data = _part(content, "data")
        if status == _OK and isinstance(data, dict) and data.get("type") in ("kv", "generic"):
            if str(data.get("path", mount)).strip("/") != mount.strip("/"):
                return
            version = _part(data, "options", "version")
            self._versions[mount] = int(version) if version in ("1", "2") else 1
        elif status in (_SEALED, *_REDIRECTS):
            raise _Unknown(_said(status, content))

    def _look_up(self, client: hvac.Client, place: Place, *, values: bool = False) -> Found:
        version = self._versions.get(place.mount)
        if version is None:
            raise _Unknown(
                f"{place.mount} is not a key-value engine, or {self.identity} may not see it"
            )
        path = _quoted(place.path)
        if version == 1:
            if not values:
                raise _Unknown(
                    f"{place.mount} has version 1: only values would say which keys there are"
                )
            status, content = self._request(client, f"{_quoted(place.mount)}/{path}")
            keys = _part(content, "data")
        else:
            what, name = ("data", "data") if values else ("subkeys", "subkeys")
            status, content = self._request(client, f"{_quoted(place.mount)}/{what}/{path}")
            keys = _part(content, "data", name)
        if status == _OK and isinstance(keys, dict):
            names = tuple(sorted(map(str, keys)))
            return Found("exists", keys=names, values=keys if values else {})
        metadata = _part(content, "data", "metadata")
        if status == _NOT_FOUND and isinstance(metadata, dict):
            return Found("deleted", "its latest version is deleted")
        if status == _NOT_FOUND and _part(content, "errors") == []:
            return Found("absent")
        if status == _FORBIDDEN:
            raise _Unknown(f"{self.identity} may not read it")
        raise _Unknown(_said(status, content))

    def _request(
        self, client: hvac.Client, path: str, body: Mapping[str, str] | None = None
    ) -> tuple[int, object]:
        """The status and the JSON of a response."""
        import requests

        from .session import translated

        method, more = ("get", {}) if body is None else ("post", {"json": body})
        try:
            response = client.adapter.request(
                method, f"/v1/{path}", raise_exception=False, stream=True, **more
            )
            read_whole(response, self._address, _LARGEST)
        except requests.RequestException as error:
            raise _Unknown(str(translated(error, self._address, self._seconds))) from error
        except (HttpError, OSError) as error:
            raise _Unknown(str(error)) from error
        status, content = response.status_code, response.content
        if status in _REDIRECTS:
            host = urlsplit(response.headers.get("Location", "")).netloc or "another address"
            raise _Unknown(f"it redirects to {host}, which is not followed")
        try:
            return status, json_text.load(content, name=path) if content else None
        except JsonError as error:
            raise _Unknown("its response is not JSON") from error


def _part(content: object, *names: str) -> object:
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _quoted(path: str) -> str:
    return quote(path.strip("/"))


def _said(status: int, content: object) -> str:
    if status == _SEALED:
        return "it is sealed"
    errors = _part(content, "errors")
    words = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
    return f"status {status}: {words[:200]}" if words else f"status {status}"
