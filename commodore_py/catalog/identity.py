"""The author of catalog commits: from settings, Git's configuration, or the local account."""

from __future__ import annotations

import logging
import os
import platform
import re
import time
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.repository import settings_of
from commodore_py.config import Author

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LOG = logging.getLogger(__name__)

SETTINGS = r"^(user|committer)\.(name|email)$"
"""Git's settings that `committer` uses."""

# What Git takes as it is: it removes some characters, and more at both ends.
_END = r"[^\x00-\x20\x7f.,:;<>\"\\']"
_PLAIN = re.compile(rf"{_END}(?:[^\x00-\x1f\x7f<>]*{_END})?")
_FALLBACK = Author("Commodore", "commodore@syn.tools")


def committer(given: Author, directory: Path, settings: Mapping[str, str] | None = None) -> Author:
    """The author and committer of a commit; a missing half is looked up as Git does.

    `settings` are those that `SETTINGS` matches, if they are known.
    """
    if given.name and given.email:
        return given
    if settings is None:
        settings = settings_of(directory, SETTINGS, local=False)
    name = given.name or _known_to_git("name", settings)
    email = given.email or _known_to_git("email", settings)
    if name and email:
        return Author(name, email)
    account = _account()
    return Author(name or account.name, email or account.email)


def _known_to_git(half: str, settings: Mapping[str, str]) -> str:
    # Git's own guesses need a host name with a domain and fail without one; ours do not.
    variable = os.environ.get(f"GIT_COMMITTER_{half.upper()}", "")
    return variable or settings.get(f"committer.{half}", "") or settings.get(f"user.{half}", "")


def variables_of(who: Author) -> dict[str, str]:
    """The variables by which Git makes someone the author and committer of a commit."""
    return {
        f"GIT_{role}_{part}": text
        for role in ("AUTHOR", "COMMITTER")
        for part, text in (("NAME", who.name), ("EMAIL", who.email))
    }


def signatures(who: Author, directory: Path) -> str:
    """The lines of a commit that name its author and committer, at this time."""
    author, by = (_signature(role, who, directory) for role in ("AUTHOR", "COMMITTER"))
    return f"author {author}\ncommitter {by}"


def _signature(role: str, who: Author, directory: Path) -> str:
    plain = _PLAIN.fullmatch(who.name) and _PLAIN.fullmatch(who.email)
    if plain and f"GIT_{role}_DATE" not in os.environ:
        now = int(time.time())
        return f"{who.name} <{who.email}> {now} {time.strftime('%z', time.localtime(now))}"
    # Git leaves out characters, and reads dates in many forms.
    return git(directory, "var", f"GIT_{role}_IDENT", env=variables_of(who))


def _account() -> Author:
    import getpass

    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # as Python reports that there is none
        _LOG.warning(
            "no author is configured: commits will be by %s <%s>", _FALLBACK.name, _FALLBACK.email
        )
        return _FALLBACK
    return Author(user, f"{user}@{platform.node()}")
