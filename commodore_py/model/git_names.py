"""Names that some file system takes for `.git`, where Git keeps its settings (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# NTFS has short names, and names of streams after a colon; it ignores dots and spaces at the end.
_SHORT = re.compile(r"git~[0-9]+")
_SEPARATOR = re.compile(r"[/\\]")
# HFS+ ignores characters without a width; nothing else should hide a name either.
_IGNORED = ("Cf", "Cc", "Mn", "Me")


def is_git_name(name: str) -> bool:
    """Return whether a file or folder of that name could be a repository's own folder."""
    if name.isascii() and "git" not in name.lower():
        return False
    import unicodedata

    plain = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(
        character for character in plain if unicodedata.category(character) not in _IGNORED
    )
    plain = plain.partition(":")[0].rstrip(". ")
    return plain == ".git" or _SHORT.fullmatch(plain) is not None


def has_git_name(path: str) -> bool:
    """Return whether any part of a path has such a name."""
    if path.isascii() and "git" not in path.lower():
        return False
    return any(map(is_git_name, _SEPARATOR.split(path)))


def git_names_among(paths: Iterable[object]) -> list[str]:
    """The paths that have such a part."""
    return [path for path in map(str, paths) if has_git_name(path)]
