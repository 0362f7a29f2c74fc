"""The author of catalog commits: from settings, Git's configuration, or the local account."""

from __future__ import annotations

import logging
import platform
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.process import ProgramFailed
from commodore_py.config import Author

if TYPE_CHECKING:
    from pathlib import Path

_LOG = logging.getLogger(__name__)
_FALLBACK = Author("Commodore", "commodore@syn.tools")


def committer(given: Author, directory: Path) -> Author:
    """The author and committer of a commit; a missing half is looked up."""
    name = given.name or _name_known_to_git(directory)
    email = given.email or _email_known_to_git(directory)
    if name and email:
        return Author(name, email)
    account = _account()
    return Author(name or account.name, email or account.email)


def _name_known_to_git(directory: Path) -> str:
    return _known_to_git(directory, GIT_COMMITTER_EMAIL="-").partition(" <")[0]


def _email_known_to_git(directory: Path) -> str:
    return _known_to_git(directory, GIT_COMMITTER_NAME="-").partition(" <")[2].partition(">")[0]


def _known_to_git(directory: Path, **other_half: str) -> str:
    # Git's own guesses need a host name with a domain and fail without one; ours do not.
    try:
        only_settings = ("-c", "user.useConfigOnly=true")
        return git(directory, *only_settings, "var", "GIT_COMMITTER_IDENT", env=other_half)
    except ProgramFailed:
        return ""


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
