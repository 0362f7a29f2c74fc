"""Which repositories are read and written by hand, and which by the git program alone."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

SWITCH = "COMMODORE_GIT"
"""The variable that has the git program do everything."""

_PROGRAM = "program"
# An extension may change any format (reftable, SHA-256, sparse index, worktree settings); an
# included file may hold any setting.
_SPECIAL = ("[extensions", "[include")
_VERSION = re.compile(r"repositoryformatversion\s*=\s*(\S*)")
_KNOWN_VERSIONS = ("0", "1")


def by_program() -> bool:
    """Whether the git program does everything."""
    value = os.environ.get(SWITCH, "")
    if value not in ("", _PROGRAM):
        raise CommodoreError(
            f"{SWITCH}={value} is not a valid value",
            hint=f"set it to {_PROGRAM}, or unset it",
        )
    return value == _PROGRAM


def is_plain(git_folder: Path | str) -> bool:
    """Whether a repository may be read and written by hand."""
    if by_program():
        return False
    try:
        return has_plain_settings(text_of(f"{git_folder}/config"))
    except (OSError, ValueError):
        return False


def has_plain_settings(settings: str) -> bool:
    """Whether a repository's own settings are those of the plain format (pure)."""
    text = settings.lower()
    if any(word in text for word in _SPECIAL):
        return False
    return all(version in _KNOWN_VERSIONS for version in _VERSION.findall(text))
