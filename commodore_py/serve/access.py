"""Who may do what: tokens, sessions, hosts and origins, and bounds for requests."""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import stat
import time
from asyncio import timeout
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError

from .failures import Refusal, refusal_as_data

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "commodore"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
_LINE = rf"(?P<name>{_NAME}) +(?P<token>\S{{16,}})(?P<read_only> +read-only)?"
WEBHOOK = "webhook"
"""The name of the secret of webhooks; it is no token."""
_LONGEST_BODY, _LONGEST_LOGIN = 1 << 20, 1 << 12
_MOST_HELD = 64 << 20
"""Bytes of the bodies of all requests that are being received."""
_BODY_SECONDS = 20.0
_SAFE = ("GET", "HEAD")
_PUBLIC = ("/login", "/static/", "/v1/hooks/git")
"""Paths without a token: where one is entered, and what is signed otherwise."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer`, forms have no origin
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Token(NamedTuple):
    """A token, and whether its owner may change anything."""

    value: str
    read_only: bool = False


def read_tokens(file: Path) -> tuple[dict[str, Token], str]:
    """The tokens of a file by their names; a missing file is made with one, which is returned."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return _first_token(file)
    except OSError as error:
        raise _unusable(file, f"cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise _unusable(file, "is not a file")
    if status.st_mode & 0o077 or status.st_uid != os.geteuid():
        raise _unusable(file, "may be read by others", hint=f"chmod 600 {file}")
    tokens: dict[str, Token] = {}
    for number, line in enumerate(file.read_text("utf-8", errors="replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(_LINE, line.strip())
        if found is None or found["name"] in tokens:
            raise _unusable(
                file,
                f"has an invalid line {number}",
                hint="lines are NAME TOKEN, or NAME TOKEN read-only; each name once, a token of at"
                " least 16 characters",
            )
        tokens[found["name"]] = Token(found["token"], bool(found["read_only"]))
    if not tokens:
        raise _unusable(file, "has no token", hint="remove it, and one is made")
    REDACTOR.learn(*(one.value for one in tokens.values()))
    return tokens, ""


def _first_token(file: Path) -> tuple[dict[str, Token], str]:
    token = secrets.token_urlsafe(24)
    name = os.environ.get("USER", "")
    name = name if re.fullmatch(_NAME, name) else "admin"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor
            stream.write(f"{name} {token}\n")
    except OSError as error:
        raise _unusable(file, f"cannot be written: {error.strerror}") from error
    return {name: Token(token)}, token


def _unusable(file: Path, why: str, *, hint: str = "") -> CommodoreError:
    return CommodoreError(f"the token file {why}", where=str(file), hint=hint)


@dataclass(slots=True)
class _Buckets:
    """Requests per second, by callers."""

    rate: float
    burst: float
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, key: str) -> bool:
        """Whether one more request is within the rate."""
        now = time.monotonic()
        level, then = self._levels.get(key, (self.burst, now))
        level = min(self.burst, level + (now - then) * self.rate)
        if len(self._levels) > 10_000:  # noqa: PLR2004 - more callers than anybody has
            self._levels.clear()
        self._levels[key] = (max(0.0, level - 1), now)
        return level >= 1


class Access:
    """Decides about every request before anything else sees it."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        tokens: Mapping[str, Token],
        origins: frozenset[str],
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._origins = origins
        self._hosts = frozenset(one.partition("://")[2] for one in origins)
        self._secure = all(one.startswith("https://") for one in origins)
        self._held = 0
        self._requests = _Buckets(rate=500, burst=1000)
        self._failures = _Buckets(rate=1, burst=20)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that is allowed, and refuse the others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(key.encode(), value.encode()) for key, value in _HEADERS.items()]
                present = {key for key, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((key, value) for key, value in more if key not in present),
                ]
            await send(message)

        try:
            scope["state"] = {**scope.get("state", {}), "caller": self._caller(scope, headers)}
            longest = _LONGEST_LOGIN if scope["path"] == "/login" else _LONGEST_BODY
            body = await self._body(receive, headers, longest)
        except Refusal as refusal:
            if refusal.status == 401 and _is_for_people(scope, headers):  # noqa: PLR2004
                refusal.status = 303
                refusal.headers["location"] = "/login"
            await _refuse(refusal, sent)
            return
        await self._app(scope, _replayed(body, receive), sent)

    def _caller(self, scope: Scope, headers: Mapping[str, str]) -> str:
        """The name of the caller; empty for what is public."""
        client = (scope.get("client") or ("",))[0]
        if headers.get("host", "").lower() not in self._hosts:
            raise Refusal(421, "this host name is not served here")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            raise Refusal(403, "requests of other origins are refused")
        path, method = scope["path"], scope["method"]
        if path.startswith(_PUBLIC) and path != "/login/":
            if not self._requests.take(client):
                raise _too_many()
            return ""
        name = self._named(headers)
        if not name:
            if not self._failures.take(client):
                raise _too_many()
            raise Refusal(401, "a token is required", {"www-authenticate": "Bearer"})
        if not self._requests.take(name):
            raise _too_many()
        if method not in _SAFE and self._tokens[name].read_only:
            raise Refusal(403, "this token is read-only")
        if method not in _SAFE and origin is None and not headers.get("authorization"):
            raise Refusal(403, "a change by a session needs its origin")
        return name

    def _named(self, headers: Mapping[str, str]) -> str:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme:
            return self.name_of(token.strip()) if scheme.lower() == "bearer" else ""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        name, _, proof = (cookie.value if cookie else "").partition(":")
        named = self._tokens.get(name)
        return name if named and hmac.compare_digest(proof.encode(), _proof(named)) else ""

    async def _body(self, receive: Receive, headers: Mapping[str, str], longest: int) -> bytes:
        """The whole body of a request, within limits of size and time."""
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > longest:
            raise Refusal(413, f"a body has at most {longest} bytes")
        body = bytearray()
        try:
            async with timeout(_BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Refusal(400, "the request ended before its body")
                    piece = message.get("body", b"")
                    body += piece
                    self._held += len(piece)
                    if len(body) > longest:
                        raise Refusal(413, f"a body has at most {longest} bytes")
                    if self._held > _MOST_HELD:
                        raise Refusal(503, "too much is being received", {"retry-after": "5"})
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            raise Refusal(408, "the request was not sent in time") from None
        finally:
            self._held -= len(body)

    def name_of(self, token: str) -> str:
        """The name of a token; empty if it is none. Takes the same time for all."""
        given = token.encode()
        matches = [
            name
            for name, one in self._tokens.items()
            if hmac.compare_digest(one.value.encode(), given)
        ]
        return matches[0] if matches else ""

    def failed(self, client: str) -> None:
        """Count a wrong token; there may not be many."""
        if not self._failures.take(client):
            raise _too_many()

    def session(self, name: str) -> str:
        """The header that begins a session."""
        secure = "; Secure" if self._secure else ""
        value = f"{name}:{_proof(self._tokens[name]).decode()}"
        return f'{COOKIE}="{value}"; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800{secure}'


def token_in(query: str) -> str:
    """The token in the query of a URL that was printed."""
    return (parse_qs(query).get("token") or [""])[0]


def _proof(token: Token) -> bytes:
    """What a session shows instead of its token."""
    return hmac.new(token.value.encode(), b"session", "sha256").hexdigest().encode()


def _too_many() -> Refusal:
    return Refusal(429, "too many requests", {"retry-after": "5"})


def _is_for_people(scope: Scope, headers: Mapping[str, str]) -> bool:
    is_page = not scope["path"].startswith("/v1/") and scope["path"] != "/metrics"
    return is_page and scope["method"] in _SAFE and "text/html" in headers.get("accept", "")


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed


async def _refuse(refusal: Refusal, send: Send) -> None:
    content = json.dumps(refusal_as_data(refusal)).encode()
    # The rest of a body that nobody reads would still be received.
    headers = {**refusal.headers, "content-type": "application/json", "connection": "close"}
    encoded = [(key.encode(), value.encode("latin-1")) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": encoded})
    await send({"type": "http.response.body", "body": content})
