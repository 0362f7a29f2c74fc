"""Git remote URLs: one spelling for each, and the folder that a clone of it goes to (pure)."""

from __future__ import annotations

import re
from posixpath import normpath
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from commodore_py.errors import CommodoreError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SAFE_IN_PATH = "/~!$&'()*+,;=:@-._%"
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")


def normalise(url: str) -> str:
    """The spelling under which a remote is configured."""
    if _is_path(url):
        return url  # an `@` in it means nothing
    if "@" in url and ("://" not in url or url.startswith("ssh://")):
        return _normalise_ssh(url)
    if url.startswith(("http://", "https://")):
        parts = urlsplit(url)
        netloc = _normalise_netloc(parts.netloc, parts.scheme)
        return urlunsplit(parts._replace(netloc=netloc, path=_normalise_path(parts.path) or "/"))
    return url


def push_url(url: str) -> str:
    """Where a remote is pushed to: over SSH for an HTTP remote, else where it is fetched from."""
    normalised = normalise(url)
    if not normalised.startswith(("http://", "https://")):
        return normalised
    parts = urlsplit(normalised)
    return f"ssh://git@{parts.hostname}{parts.path}"


def dependency_key(url: str) -> str:
    """The path of a repository's bare clone below `dependencies/.repos`."""
    parts = urlsplit(normalise(url))
    if not parts.hostname:
        # A relative path must not lead out of the folder of clones.
        return "/".join(p for p in parts.path.split("/") if p not in ("", ".", ".."))
    return f"{parts.hostname}/{parts.path[1:]}"


def without_password(url: str) -> str:
    """A URL that may be shown."""
    return re.sub(r"(://[^/:@]*):[^/@]*@", r"\1:***@", url)


def _is_path(url: str) -> bool:
    return url.startswith(("/", "./", "../"))


def _normalise_ssh(url: str) -> str:
    if not url.startswith("ssh://"):
        host, colon, path = url.partition(":")
        if not colon or ":" in path:
            raise CommodoreError(
                f"{url}: not a Git URL that we understand",
                hint="write it as ssh://user@host/path, https://host/path or file:///path",
            )
        url = f"ssh://{host}/{path}"
    parts = urlsplit(url)
    return urlunsplit(
        parts._replace(
            netloc=_normalise_netloc(parts.netloc, "ssh"), path=_normalise_path(parts.path)
        )
    )


def _normalise_netloc(netloc: str, scheme: str) -> str:
    user, at, host = netloc.rpartition("@")
    host = host.lower().removesuffix(f":{_DEFAULT_PORTS.get(scheme, '')}")
    return f"{user}{at}{host}"


def _normalise_path(path: str) -> str:
    if not path:
        return ""
    clean = normpath(re.sub(r"/+", "/", _PERCENT.sub(_unescape_harmless, path)))
    if path.endswith("/") and clean != "/":
        clean += "/"
    return quote(clean, safe=_SAFE_IN_PATH)


def _unescape_harmless(match: re.Match[str]) -> str:
    char = unquote(match[0])
    return char if re.fullmatch(r"[A-Za-z0-9\-._~]", char) else match[0].upper()
