"""Who may do what: sessions, hosts and origins, and bounds for requests."""

from __future__ import annotations

import hmac
import time
from asyncio import timeout
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import HTTPException, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect

from .failures import failure

if TYPE_CHECKING:
    from fastapi import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .settings import Settings, Token

COOKIE = "commodore"
_LONGEST_BODY, _LONGEST_LOGIN = 1 << 20, 1 << 12
_BODY_SECONDS = 20.0
_WINDOW = 10
_SESSION_SECONDS = 7 * 24 * 60 * 60
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


class _Limit:
    """A bound for requests of each caller, in windows of ten seconds."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._window = 0
        self._counts: Counter[str] = Counter()

    def take(self, caller: str) -> None:
        """Refuse the request if there were too many."""
        window = int(time.monotonic() / _WINDOW)
        if window != self._window:
            self._window, self._counts = window, Counter()
        self._counts[caller] += 1
        if self._counts[caller] > self._limit:
            raise HTTPException(429, "too many requests", {"retry-after": str(_WINDOW)})


class Access:
    """Decides about every request before anything else sees it."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._tokens = settings.tokens
        self._origins = settings.origins
        self._hosts = frozenset(origin.partition("://")[2] for origin in self._origins)
        self._secure = all(origin.startswith("https://") for origin in self._origins)
        self._requests = _Limit(5000)
        self.failures = _Limit(20)
        """Wrong tokens of a client; there may not be many."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that is allowed, and refuse the others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            request.state.caller = self._caller(request)
            messages = [{"type": "http.request", "body": await _body(request)}]
        except HTTPException as refusal:
            if refusal.status_code == HTTPStatus.UNAUTHORIZED and _is_for_people(request):
                refusal = HTTPException(303, refusal.detail, {"location": "/login"})
            content = failure(refusal.status_code, refusal.detail)
            # An open connection would receive the rest of a body that is not read.
            headers = {**(refusal.headers or {}), "connection": "close"}
            await JSONResponse(content, refusal.status_code, headers)(scope, receive, sent)
            return

        async def received() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, received, sent)

    def _caller(self, request: Request) -> str:
        """The name of the caller; empty for what is public."""
        client = request.client.host if request.client else ""
        headers, path = request.headers, request.scope["path"]
        if headers.get("host", "").lower() not in self._hosts:
            raise HTTPException(421, "this host name is not served here")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            raise HTTPException(403, "requests of other origins are refused")
        if path.startswith(_PUBLIC) and path != "/login/":
            self._requests.take(client)
            return ""
        name = self._named(request)
        if not name:
            self.failures.take(client)
            raise HTTPException(401, "a token is required", {"www-authenticate": "Bearer"})
        self._requests.take(name)
        if request.method not in _SAFE:
            if self._tokens[name].read_only:
                raise HTTPException(403, "this token is read-only")
            if origin is None and "authorization" not in headers:
                raise HTTPException(403, "a change by a session needs its origin")
        return name

    def _named(self, request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme:
            return self.name_of(token.strip()) if scheme.lower() == "bearer" else ""
        name, _, proof = request.cookies.get(COOKIE, "").partition(":")
        owned = self._tokens.get(name)
        return name if owned is not None and _same(_proof(owned), proof) else ""

    def name_of(self, token: str) -> str:
        """The name of a token; empty if it is none. Takes the same time for all."""
        matches = [name for name, owned in self._tokens.items() if _same(owned.value, token)]
        return matches[0] if matches else ""

    def begin_session(self, response: Response, name: str) -> None:
        """Give a browser what it shows instead of the token."""
        response.set_cookie(
            COOKIE,
            f"{name}:{_proof(self._tokens[name])}",
            max_age=_SESSION_SECONDS,
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )


async def _body(request: Request) -> bytes:
    """The whole body of a request, within limits of size and time."""
    longest = _LONGEST_LOGIN if request.scope["path"] == "/login" else _LONGEST_BODY
    too_large = HTTPException(413, f"a body has at most {longest} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > longest:
        raise too_large
    body = bytearray()
    try:
        async with timeout(_BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > longest:
                    raise too_large
    except TimeoutError:
        raise HTTPException(408, "the request was not sent in time") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request ended before its body") from None
    return bytes(body)


def _proof(token: Token) -> str:
    """A digest that only the owner of a token can have."""
    return hmac.new(token.value.encode(), b"session", "sha256").hexdigest()


def _same(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode())


def _is_for_people(request: Request) -> bool:
    path = request.scope["path"]
    is_page = not path.startswith("/v1/") and path != "/metrics"
    return is_page and request.method in _SAFE and "text/html" in request.headers.get("accept", "")
