"""The base of the API's URLs: `--api-url`, unless it is a folder of facts."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from commodore_py.errors import CommodoreError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ALLOWED_IN_PATH = "/%!$&'()*+,;=:@~"
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})?")
_UNRESERVED = re.compile("[A-Za-z0-9._~-]")


def no_api_url(root: Path) -> CommodoreError:
    """The error without any setting of the API; names the facts of the working directory."""
    facts = os.path.relpath(root / "facts")
    facts = facts if facts.startswith(".") else f"./{facts}"
    if not (root / "facts" / "clusters").is_dir():
        hint = (
            "set --api-url or COMMODORE_API_URL to a Lieutenant API, or to a folder of cluster"
            " facts like ./facts; `commodore demo` creates one to try out"
        )
    elif (root / ".env").is_file() and root.absolute() != Path.cwd():
        hint = f"{root / '.env'} is read in {root} only: change to it, or add --api-url {facts}"
    else:
        hint = f"{facts} holds cluster facts: add --api-url {facts}, or set it in .env"
    return CommodoreError("no API URL", hint=hint)


def request_url(api_url: str, endpoint: str, name: str = "") -> str:
    """The normalised URL of one object, or of the list without a name."""
    scheme, host, path = _base(api_url)
    return f"{scheme}://{host}/" + "/".join((*path, endpoint, quote(name, safe="")))


def base_url(api_url: str) -> str:
    """The normalised form of an API URL."""
    scheme, host, path = _base(api_url)
    return "/".join((f"{scheme}://{host}", *path))


def _base(api_url: str) -> tuple[str, str, list[str]]:
    text = api_url if "://" in api_url else f"https://{api_url.lstrip('/')}"
    try:
        text.encode()  # an argument that is not UTF-8 cannot be sent
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise CommodoreError(f"not a valid API URL: {error}", where=api_url) from error
    if "@" in parts.netloc:
        # Not printed. The HTTP library would send them instead of the token.
        raise CommodoreError(
            "the API URL contains a user name or a password",
            hint="remove them; requests are authenticated with a token (--api-token)",
        )
    host_name = parts.hostname or "-"
    if parts.scheme not in _DEFAULT_PORTS or host_name[0] == "-" or parts.query or parts.fragment:
        raise CommodoreError(
            "not a valid API URL",
            where=api_url,
            hint="use one like https://lieutenant.example.com,"
            " or a folder of cluster facts like ./facts",
        )
    host = f"[{host_name}]" if ":" in host_name else host_name
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    return parts.scheme, host, _segments(parts.path)


def _segments(path: str) -> list[str]:
    escaped = _ESCAPE.sub(_normal_escape, quote(path, safe=_ALLOWED_IN_PATH))
    return [part for part in posixpath.normpath(f"/{escaped}").split("/") if part]


def _normal_escape(escape: re.Match[str]) -> str:
    if not escape[1]:
        return "%25"
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()
