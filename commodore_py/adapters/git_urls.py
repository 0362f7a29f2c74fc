"""Git remote URLs: one spelling for each, the folder of a clone, and credentials set aside.

Git gets those by a helper, in no argument and no file.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from commodore_py.errors import CommodoreError
from commodore_py.model.names import problem_of_path, shown

from .masking import PUBLIC_USERS, REDACTOR, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from urllib.parse import SplitResult

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HTTP = ("http://", "https://")
_SAFE_IN_PATH = "/~!$&'()*+,;=:@-._%"
_PERCENT = r"%[0-9A-Fa-f]{2}"
_SCP_WITHOUT_USER = r"([^/:@]+):(?!//)(.*)"

# As Git finds the helper `git-remote-NAME` in a URL.
_HELPER = r"([A-Za-z0-9][A-Za-z0-9+.-]*):(?::|//)"
_BUILT_IN = frozenset(("file", "ftp", "ftps", "git", "git+ssh", "http", "https", "ssh", "ssh+git"))
_RUNS_PROGRAMS = ("ext", "fd")
# Git adds the name of the action; only `get` has an answer. `printf` is part of the shell.
_CREDENTIAL_HELPER = (
    '!commodore_credentials() {{ test "$1" = get &&'
    ' printf \'username=%s\\npassword=%s\\n\' "${{{user}}}" "${{{password}}}"; }};'
    " commodore_credentials"
)
_USER, _PASSWORD = "COMMODORE_GIT_USER_{}", "COMMODORE_GIT_PASSWORD_{}"


def normalise(url: str) -> str:
    """The spelling under which a remote is configured: without credentials, which are set aside."""
    if _is_path(url):
        return url  # an `@` in it means nothing
    check_transport(url)
    if "@" in url and ("://" not in url or url.startswith("ssh://")):
        return _normalise_ssh(url)
    if url.startswith(_HTTP):
        parts = _split(without_credentials(url))
        netloc = _normalise_netloc(parts.netloc, parts.scheme)
        return urlunsplit(parts._replace(netloc=netloc, path=_normalise_path(parts.path) or "/"))
    return url


def push_url(url: str) -> str:
    """Where a remote is pushed to: over SSH for an HTTP remote, else where it is fetched."""
    normalised = normalise(url)
    if not normalised.startswith(_HTTP):
        return normalised
    parts = _split(normalised)
    host = parts.hostname or ""
    return f"ssh://git@{f'[{host}]' if ':' in host else host}{parts.path}"


def dependency_key(url: str) -> str:
    """The path of a repository's bare clone below `dependencies/.repos`."""
    normalised = normalise(url)
    scp = None if _is_path(url) else re.fullmatch(_SCP_WITHOUT_USER, normalised)
    if scp is not None:
        whole = f"{scp[1]}/{scp[2]}"
    else:
        parts = _split(normalised)
        whole = f"{parts.hostname or ''}/{parts.path}"
    # No URL may lead to a clone outside of the folder of clones.
    names = [name for name in whole.split("/") if name not in ("", ".", "..")]
    if not names:
        raise _not_understood(url)
    problem = problem_of_path("/".join(names))
    if problem:
        raise CommodoreError(f"{shown(without_secrets(url))}: the path of this URL {problem}")
    return "/".join(names) + ("/" if whole.endswith("/") else "")


def local_path(normalised: str) -> Path | None:
    """The folder on this machine that a URL plainly names, if it does."""
    path = normalised.removeprefix("file://")
    return Path(path) if path.startswith("/") and "%" not in path else None


def local_places(url: str) -> tuple[str, ...]:
    """The paths that Git may read a URL from on this machine; none of a server's."""
    if url[:7].lower() == "file://":
        # Git decodes such a URL, and ignores the host.
        rest = unquote(url[7:]).lstrip("/")
        return (f"/{rest}",) if url[7:8] == "/" else (f"/{rest}", f"/{rest.partition('/')[2]}")
    return (url,) if _names_a_file(url) else ()


def absolute(url: str, folder: Path) -> str:
    """The URL, or the full path that it names as seen from a folder."""
    return f"{folder}/{url}" if _names_a_file(url) and not url.startswith("/") else url


def _names_a_file(url: str) -> bool:
    before, colon, _ = url.partition(":")
    return not colon or "/" in before


def check_transport(url: str) -> None:
    """Refuse a URL whose transport is a program, unless the user allows it."""
    helper = re.match(_HELPER, url)
    if helper is not None and (helper[0].endswith("::") or helper[1].lower() not in _BUILT_IN):
        _check_helper(helper[1], url)


def _check_helper(name: str, url: str) -> None:
    """Refuse a transport that is a program `git-remote-NAME`, unless the user allows it."""
    if name.lower() in _RUNS_PROGRAMS:
        raise CommodoreError(
            f"{shown(without_secrets(url))}: transport {name!r} is not allowed, as it runs"
            " programs or reads open files",
            hint="write it as ssh://user@host/path, https://host/path or file:///path",
        )
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL", "").split(":")
    if name not in allowed and not _is_allowed_by_settings(name):
        raise CommodoreError(
            f"{shown(without_secrets(url))}: transport {name!r} is not allowed, as it runs the"
            f" program git-remote-{name}",
            hint=f"if you trust it: git config --global protocol.{name}.allow always",
        )


@functools.cache
def _is_allowed_by_settings(name: str) -> bool:
    from .process import ProgramFailed, run  # rare

    try:
        setting = run(["git", "config", "--get", f"protocol.{name}.allow"], cwd=Path("/"))
    except ProgramFailed:
        return False
    return setting.strip().lower() in (b"always", b"user")


def _is_path(url: str) -> bool:
    return url.startswith(("/", "./", "../"))


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:  # brackets that hold no IPv6 address
        raise _not_understood(url) from error


def _not_understood(url: str) -> CommodoreError:
    return CommodoreError(
        f"{without_secrets(url)}: not a Git URL that we understand",
        hint="write it as ssh://user@host/path, https://host/path or file:///path",
    )


def _normalise_ssh(url: str) -> str:
    if not url.startswith("ssh://"):
        host, colon, path = url.partition(":")
        if not colon or ":" in path:
            raise _not_understood(url)
        url = f"ssh://{host}/{path}"
    parts = _split(url)
    return urlunsplit(
        parts._replace(
            netloc=_normalise_netloc(parts.netloc, "ssh"), path=_normalise_path(parts.path)
        )
    )


def _normalise_netloc(netloc: str, scheme: str) -> str:
    user, at, host = netloc.rpartition("@")
    host = host.lower().removesuffix(f":{_DEFAULT_PORTS.get(scheme, '')}")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError as error:
            raise _not_understood(f"{scheme}://{netloc}") from error
    return f"{user}{at}{host}"


def _normalise_path(path: str) -> str:
    if not path:
        return ""
    clean = normpath(re.sub(r"/+", "/", re.sub(_PERCENT, _unescape_harmless, path)))
    if path.endswith("/") and clean != "/":
        clean += "/"
    return quote(clean, safe=_SAFE_IN_PATH)


def _unescape_harmless(match: re.Match[str]) -> str:
    char = unquote(match[0])
    return char if re.fullmatch(r"[A-Za-z0-9\-._~]", char) else match[0].upper()


@dataclass(frozen=True, slots=True)
class _Credentials:
    user: str
    password: str | None
    """None if the URL has only a user: Git gets the password from the user's own helpers."""


_known: dict[str, _Credentials] = {}


def without_credentials(url: str) -> str:
    """An HTTP URL without user and password, which Git gets another way; others are unchanged.

    A name that everybody uses stays: it is part of what Commodore writes.
    """
    if "@" not in url or not url.lower().startswith(_HTTP):
        return url
    try:
        netloc = urlsplit(url).netloc
    except ValueError:
        return url
    user_info, at, _ = netloc.rpartition("@")
    user, colon, password = user_info.partition(":")
    if not at or (not colon and user in PUBLIC_USERS):
        return url
    bare = url.replace(f"{user_info}@", "", 1)
    _remember(bare, unquote(user), unquote(password) if colon else None)
    return bare


def credential_variables() -> dict[str, str]:
    """The input of the helpers of `credential_settings`; only processes of this user see it."""
    environment = {}
    for number, credentials in enumerate(list(_known.values())):
        if credentials.password is not None:
            environment[_USER.format(number)] = credentials.user
            environment[_PASSWORD.format(number)] = credentials.password
    return environment


def credential_settings() -> Iterator[tuple[str, str]]:
    """Git's settings that give it what was set aside."""
    for number, (url, credentials) in enumerate(list(_known.items())):
        if credentials.password is None:
            yield f"credential.{url}.username", credentials.user
            continue
        # An empty helper first: those of the user would store what is given here.
        yield f"credential.{url}.helper", ""
        user, password = _USER.format(number), _PASSWORD.format(number)
        yield f"credential.{url}.helper", _CREDENTIAL_HELPER.format(user=user, password=password)


def _remember(url: str, user: str, password: str | None) -> None:
    # A token is often the user, with or without a password.
    REDACTOR.learn_if_random(user)
    if password:
        REDACTOR.learn(password)
    _known[url.rstrip("/")] = _Credentials(user, password)
