"""Who commits to the catalog: as told, as Git knows, or the account on this machine."""

from __future__ import annotations

import getpass
import logging
import platform
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.process import ProgramFailed
from commodore_py.config import Author

if TYPE_CHECKING:
    from pathlib import Path

_LOG = logging.getLogger(__name__)
_NOBODY = Author("Commodore", "commodore@syn.tools")


def committer(told: Author, directory: Path) -> Author:
    """The author and committer of a commit; a half that was not told is looked up."""
    name = told.name or _name_known_to_git(directory)
    email = told.email or _email_known_to_git(directory)
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
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # Python's ways to say that there is none
        _LOG.warning("nobody told who commits: it will be %s <%s>", _NOBODY.name, _NOBODY.email)
        return _NOBODY
    return Author(user, f"{user}@{platform.node()}")
