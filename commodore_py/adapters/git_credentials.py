"""Credentials of Git URLs: set aside, and given to Git by a helper, in no argument and no file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .masking import PUBLIC_USERS, REDACTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

_HTTP = ("http://", "https://")
# Git adds the name of the action; only `get` has an answer. `printf` is part of the shell.
_HELPER = (
    '!commodore_credentials() {{ test "$1" = get &&'
    ' printf \'username=%s\\npassword=%s\\n\' "${{{user}}}" "${{{password}}}"; }};'
    " commodore_credentials"
)
_USER, _PASSWORD = "COMMODORE_GIT_USER_{}", "COMMODORE_GIT_PASSWORD_{}"


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


def variables() -> dict[str, str]:
    """The input of the helpers of `settings`; it is seen by this user's processes only."""
    environment = {}
    for number, credentials in enumerate(list(_known.values())):
        if credentials.password is not None:
            environment[_USER.format(number)] = credentials.user
            environment[_PASSWORD.format(number)] = credentials.password
    return environment


def settings() -> Iterator[tuple[str, str]]:
    """Git's settings that give it what was set aside."""
    for number, (url, credentials) in enumerate(list(_known.items())):
        if credentials.password is None:
            yield f"credential.{url}.username", credentials.user
            continue
        # An empty helper first: those of the user would store what is given here.
        yield f"credential.{url}.helper", ""
        user, password = _USER.format(number), _PASSWORD.format(number)
        yield f"credential.{url}.helper", _HELPER.format(user=user, password=password)


def _remember(url: str, user: str, password: str | None) -> None:
    # A token is often the user, with or without a password.
    REDACTOR.learn_if_random(user)
    if password:
        REDACTOR.learn(password)
    _known[url.rstrip("/")] = _Credentials(user, password)
