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
# Checked several times for each repository of a run: without this, 40 unchanged repositories took
# 33 ms instead of 29 (2026-11-22).
_known: dict[str, tuple[tuple[int, ...], bool]] = {}


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
    file = f"{git_folder}/config"
    try:
        found = os.stat(file)
        version = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        known = _known.get(file)
        if known is None or known[0] != version:
            known = _known[file] = (version, has_plain_settings(text_of(file)))
    except (OSError, ValueError):
        return False
    return known[1]


def has_plain_settings(settings: str) -> bool:
    """Whether a repository's own settings are those of the plain format (pure)."""
    text = settings.lower()
    if any(word in text for word in _SPECIAL):
        return False
    return all(version in _KNOWN_VERSIONS for version in _VERSION.findall(text))
