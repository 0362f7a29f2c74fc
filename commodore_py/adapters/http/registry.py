"""OCI registries, read: tokens, tags, manifests and blobs, as the distribution spec has them."""

from __future__ import annotations

import base64
import logging
import re
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.masking import REDACTOR

from . import HttpError, post_form
from .address import is_loopback, join_url, same_server, split_url
from .credentials import Login, login_for
from .exchange import Arrived, Request, fetch, read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

_MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_MOST = 8 << 20
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')
_REFERENCE = re.compile(
    r"(?P<host>[^/]+)/(?P<name>[^:@]+)(?::(?P<tag>[\w][\w.-]{0,127}))?(?:@(?P<digest>\w+:[0-9a-f]+))?"
)
_HUB = "docker.io"
_NOT_JSON = "the response is not JSON"
_MOST_PAGES = 200
_COUNTRY, _SECOND = 2, 3  # characters: the longest labels of co.uk, com.au

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Reference:
    """The location of an artifact in a registry."""

    host: str
    name: str
    tag: str = ""
    digest: str = ""

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Read `host/name[:tag][@digest]`."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise HttpError(
                f"{text} is not a reference of a registry",
                hint="write it as registry.example.com/name:tag",
            )
        return cls(match["host"], match["name"], match["tag"] or "", match["digest"] or "")

    def __str__(self) -> str:
        tag, digest = self.tag and f":{self.tag}", self.digest and f"@{self.digest}"
        return f"{self.host}/{self.name}{tag}{digest}"


@dataclass(slots=True)
class Registry:
    """One repository of a registry, and the token that was given for it."""

    reference: Reference
    timeout: float
    plain_http: bool = False
    verify: bool | str = True
    login: Callable[[str], Login | None] = login_for
    _authorization: str = field(default="", repr=False)

    def tags(self) -> list[str]:
        """All tags, in the order in which the registry lists them."""
        url, names = self._url("tags/list"), []
        for _ in range(_MOST_PAGES):
            content, arrived = self._read(url)
            tags = _json(content, url).get("tags")
            names += [str(tag) for tag in tags] if isinstance(tags, list) else []
            following = re.search(r'<([^>]*)>;\s*rel="?next"?', arrived.headers.get("Link", ""))
            if following is None:
                break
            page = join_url(url, following[1])
            if not same_server(url, page):
                raise HttpError("its list of tags continues on another server", where=page)
            url = page
        return names

    def manifest(self) -> tuple[Mapping[str, Any], str]:
        """The manifest of the reference, and its digest, which is verified."""
        name = self.reference.digest or self.reference.tag or "latest"
        url = self._url(f"manifests/{name}")
        content, arrived = self._read(url, accept=", ".join(_MANIFESTS))
        actual = f"sha256:{arrived.sha256}"
        claimed = self.reference.digest or arrived.headers.get("Docker-Content-Digest", actual)
        _require(claimed, actual, url)
        manifest = _json(content, url)
        _require_layers(manifest, url)
        return manifest, claimed

    def blob(self, digest: str, file: Path) -> None:
        """Bring a blob into a file, and verify it."""
        url = self._url(f"blobs/{digest}")
        _require(digest, "", url)
        arrived = self._authorised(url, lambda request: fetch(request, file), "*/*")
        _require(digest, f"sha256:{arrived.sha256}", url)

    def _url(self, rest: str) -> str:
        host = self.reference.host
        plain = self.plain_http or is_loopback(f"//{host}")
        host = f"registry-1.{host}" if host == _HUB else host
        return f"{'http' if plain else 'https'}://{host}/v2/{self.reference.name}/{rest}"

    def _read(self, url: str, accept: str = "application/json") -> tuple[bytes, Arrived]:
        return self._authorised(url, _read_soon, accept)

    def _authorised(self, url: str, act: Callable[[Request], _Result], accept: str) -> _Result:
        request = Request(
            url, {"Accept": accept}, verify=self.verify, timeout=self.timeout, raw=True
        )
        try:
            return act(self._signed(request))
        except HttpError as error:
            if error.status != HTTPStatus.UNAUTHORIZED:
                raise
            self._authorization = self._answer(error.headers.get("WWW-Authenticate", ""), error)
        return act(self._signed(request))

    def _signed(self, request: Request) -> Request:
        if not self._authorization:
            return request
        headers = {**request.headers, "Authorization": self._authorization}
        return replace(request, headers=headers)

    def _answer(self, challenge: str, error: HttpError) -> str:
        """The header that answers a challenge of the registry."""
        scheme, _, rest = challenge.partition(" ")
        host = self.reference.host
        login = self.login(host)
        if login is not None:
            REDACTOR.learn(login.password, login.identity_token)
        if scheme.lower() == "basic" and login is not None:
            return _basic(login)
        bearer = dict(_CHALLENGE.findall(rest))
        if scheme.lower() != "bearer" or "realm" not in bearer:
            error.hint = f"log in: helm registry login {host}, or docker login"
            raise error
        login = self.login_at(bearer["realm"], login)
        scope = bearer.get("scope") or f"repository:{self.reference.name}:pull"
        service = bearer.get("service", "")
        return f"Bearer {self._token(bearer['realm'], service, scope, login)}"

    def login_at(self, realm: str, login: Login | None) -> Login | None:
        """The credentials for the server that the registry names; it may name any."""
        registry_url = self._url("")
        parts, trusted = split_url(realm), same_server(registry_url, realm)
        if parts.scheme != "https" and not (
            trusted or split_url(registry_url).scheme == parts.scheme == "http"
        ):
            raise HttpError("it wants to be sent credentials in clear", where=realm)
        if trusted:
            return login
        site = _site(split_url(registry_url).hostname or "")
        if parts.scheme == "https" and _site(parts.hostname or "") == site:
            return login
        if login is not None:
            log.info("no credentials are sent to %s, which %s names", parts.hostname, registry_url)
        return None

    def _token(self, realm: str, service: str, scope: str, login: Login | None) -> str:
        if login is not None and login.identity_token:
            fields = {
                "grant_type": "refresh_token",
                "refresh_token": login.identity_token,
                "service": service,
                "scope": scope,
                "client_id": "commodore",
            }
            answer = post_form(realm, fields, timeout=self.timeout)
        else:
            query = urlencode(
                {key: text for key, text in (("service", service), ("scope", scope)) if text}
            )
            headers = {"Authorization": _basic(login)} if login is not None else {}
            url = f"{realm}{'&' if '?' in realm else '?'}{query}"
            request = Request(url, headers, verify=self.verify, timeout=self.timeout)
            content, _ = _read_soon(request)
            answer = _json(content, realm)
        token = (
            answer.get("token") or answer.get("access_token") if isinstance(answer, dict) else ""
        )
        if not isinstance(token, str) or not token:
            raise HttpError("answered without a token", where=realm)
        REDACTOR.learn(token)
        return token


def _read_soon(request: Request) -> tuple[bytes, Arrived]:
    return read(request, _MOST)


def _site(host: str) -> str:
    """The domain that one owner has registered; an address stands for itself."""
    labels = host.lower().rstrip(".").split(".")
    if labels[-1].isdigit() or ":" in host:
        return host
    # Such as example.co.uk
    country = len(labels[-1]) == _COUNTRY and len(labels) > _COUNTRY and len(labels[-2]) <= _SECOND
    return ".".join(labels[-3 if country else -2 :])


def _basic(login: Login) -> str:
    return "Basic " + base64.b64encode(f"{login.user}:{login.password}".encode()).decode()


def _json(content: bytes, url: str) -> dict[str, Any]:
    try:
        answer = json_text.load(content, name=url)
    except JsonError as error:
        problem = f"the response cannot be used: {error}" if error.limit else _NOT_JSON
        raise HttpError(problem, where=url) from error
    if not isinstance(answer, dict):
        raise HttpError("answered with another JSON than was expected", where=url)
    return answer


def _require_layers(manifest: Mapping[str, Any], url: str) -> None:
    layers = manifest.get("layers")
    if not isinstance(layers, list):
        raise HttpError("its manifest lists no layers", where=url, hint="check the reference")
    for number, layer in enumerate(layers):
        if not isinstance(layer, dict) or not isinstance(layer.get("annotations") or {}, dict):
            raise HttpError(f"layers.{number} of its manifest is not a valid layer", where=url)


def _require(claimed: str, actual: str, url: str) -> None:
    """Check a digest, or without an actual one only its form."""
    if not re.fullmatch("sha256:[0-9a-f]{64}", claimed):
        raise HttpError(f"{claimed} is not a supported digest", where=url)
    if actual and claimed != actual:
        raise HttpError(
            f"what was sent is not what was promised: its digest is {actual}, not {claimed}",
            where=url,
            hint="try again; if it happens again, the content is changed on the way",
        )
