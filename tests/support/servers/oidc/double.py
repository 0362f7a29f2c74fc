"""A small OpenID provider in this process: as strict as a real one, and broken on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.support.servers.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT = "commodore"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_CONSENT = """<form action="/agreed" method="post"><input type="hidden" name="ticket" value="{0}">
<button>Continue</button></form><a href="/refused?ticket={0}">[ Cancel ]</a>"""


@dataclass
class Behaviour:
    """How the provider departs from what is right."""

    lifetime: float = 300
    claims: dict[str, object] = field(default_factory=dict)
    """Other claims than the right ones in every id_token."""
    answer: dict[str, object] = field(default_factory=dict)
    """Other members in every answer of the token endpoint; None leaves one out."""
    document: dict[str, object] = field(default_factory=dict)
    """Other members in the discovery document; None leaves one out."""
    arrival: dict[str, str] = field(default_factory=dict)
    """Other parameters in the answer that the browser carries; an empty one is left out."""
    raw: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """Answers of paths, as they are."""
    renews: bool = True


def jwt(claims: dict[str, object]) -> str:
    """An unsigned web token."""
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "s"])


class Double(ThreadingHTTPServer):
    """The provider; `received` has every request in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviour = Behaviour()
        self.client_id = CLIENT
        self.received: list[tuple[str, dict[str, str]]] = []
        self._tickets: dict[str, dict[str, str]] = {}
        self._codes: dict[str, dict[str, str]] = {}
        self._devices: dict[str, str] = {}
        self._refresh_tokens: set[str] = set()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def discovery_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    def requests(self, path: str) -> list[dict[str, str]]:
        """The fields of the requests for one path."""
        return [fields for requested, fields in self.received if requested == path]

    def answer(self, path: str, fields: dict[str, str]) -> tuple[int, object]:  # noqa: PLR0911 - one for each endpoint
        """Status and content: text is a page, a list a redirect, the rest JSON."""
        self.received.append((path, fields))
        match path:
            case "/.well-known/openid-configuration":
                return 200, _changed(self._document(), self.behaviour.document)
            case "/auth":
                return 200, self._consent({**fields, "kind": "code"})
            case "/device":
                return 200, self._consent({**fields, "kind": "device"})
            case "/device/auth":
                return 200, self._invitation()
            case "/agreed" | "/refused":
                return self._decided(path, self._tickets.pop(fields["ticket"]))
            case "/token":
                return self._tokens(fields)
        return 404, {"error": "not_found"}

    def _document(self) -> dict[str, object]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/auth",
            "token_endpoint": f"{self.issuer}/token",
            "device_authorization_endpoint": f"{self.issuer}/device/auth",
            "authorization_response_iss_parameter_supported": True,
        }

    def _consent(self, fields: dict[str, str]) -> str:
        ticket = secrets.token_hex(8)
        self._tickets[ticket] = fields
        return _CONSENT.format(ticket)

    def _invitation(self) -> dict[str, object]:
        code = secrets.token_hex(8)
        user_code = secrets.token_hex(3).upper()
        self._devices[user_code] = f"pending {code}"
        return {
            "device_code": code,
            "user_code": user_code,
            "verification_uri": f"{self.issuer}/device",
            "verification_uri_complete": f"{self.issuer}/device?user_code={user_code}",
            "interval": 0.1,
            "expires_in": 60,
        }

    def _decided(self, path: str, wanted: dict[str, str]) -> tuple[int, object]:
        agreed = path == "/agreed"
        if wanted["kind"] == "device":
            code = self._devices[wanted["user_code"]].partition(" ")[2]
            self._devices[wanted["user_code"]] = f"{'agreed' if agreed else 'refused'} {code}"
            return 200, "You may go back."
        query = {"state": wanted.get("state", ""), "iss": self.issuer}
        if agreed:
            query["code"] = secrets.token_hex(8)
            self._codes[query["code"]] = wanted
        else:
            query |= {"error": "access_denied", "error_description": "somebody said no"}
        changed = _changed(query, self.behaviour.arrival)
        query = {name: value for name, value in changed.items() if value}
        return 303, [f"{wanted['redirect_uri']}?{urlencode(query)}"]

    def _tokens(self, fields: dict[str, str]) -> tuple[int, object]:
        if fields.get("client_id") != CLIENT:
            return 401, {"error": "invalid_client"}
        match fields.get("grant_type"):
            case "authorization_code":
                return self._for_code(fields)
            case "refresh_token" if (
                fields["refresh_token"] in self._refresh_tokens and self.behaviour.renews
            ):
                self._refresh_tokens.discard(fields["refresh_token"])
                return self._granted({})
            case x if x == DEVICE_GRANT:
                return self._for_device(fields["device_code"])
        return 400, {"error": "invalid_grant", "error_description": "grant request is invalid"}

    def _for_code(self, fields: dict[str, str]) -> tuple[int, object]:
        wanted = self._codes.pop(fields["code"], {})
        digest = hashlib.sha256(fields.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        proven = wanted.get("code_challenge_method") == "S256"
        proven = proven and wanted["code_challenge"] == challenge
        if not proven or wanted["redirect_uri"] != fields.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        return self._granted({"nonce": wanted["nonce"]})

    def _for_device(self, device_code: str) -> tuple[int, object]:
        for state, _, code in (device.partition(" ") for device in self._devices.values()):
            if code == device_code and state == "agreed":
                return self._granted({})
            if code == device_code and state == "refused":
                return 400, {"error": "access_denied", "error_description": "somebody said no"}
        return 400, {"error": "authorization_pending"}

    def _granted(self, claims: dict[str, object]) -> tuple[int, object]:
        refresh_token = secrets.token_hex(8)
        self._refresh_tokens.add(refresh_token)
        right = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "somebody",
            "jti": secrets.token_hex(8),
            "exp": time.time() + self.behaviour.lifetime,
            **claims,
        }
        answer = {
            "access_token": "opaque",
            "id_token": jwt(_changed(right, self.behaviour.claims)),
            "refresh_token": refresh_token,
            "token_type": "Bearer",
            "expires_in": self.behaviour.lifetime,
            "scope": "openid email profile",
        }
        return 200, _changed(answer, self.behaviour.answer)


def _changed(right: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (right | changes).items() if value is not None}


@contextmanager
def serve_provider(*, lifetime: float = 300) -> Iterator[Double]:
    """A provider for the time of one test."""
    with serving(Double()) as provider:
        provider.behaviour.lifetime = lifetime
        yield provider


class _Handler(BaseHTTPRequestHandler):
    server: Double

    def do_GET(self) -> None:
        self._answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        self._answer(self.rfile.read(length).decode())

    def _answer(self, query: str) -> None:
        path = urlsplit(self.path).path
        status, content = self.server.answer(path, dict(parse_qsl(query, keep_blank_values=True)))
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        if path in self.server.behaviour.raw:
            status, body = self.server.behaviour.raw[path]
        self.send_response(status)
        if isinstance(content, list):
            self.send_header("Location", content[0])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Log nothing: tests inspect `received`."""
