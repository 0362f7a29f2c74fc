"""Remotes on this machine: their refs are in files, and their objects are linked or copied.

It is what Git does for `git clone --local`. Where anything is out of the ordinary, it is left to a
fetch, which knows more.
"""

from __future__ import annotations

import os
from os.path import isdir, isfile
from typing import TYPE_CHECKING

from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import text_of

from .layout import is_plain
from .objects import is_packed_commit, link_or_copy
from .program import git
from .refs import TAGS, write_packed_refs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What a server with such settings gives away is not simply what it has.
_SPECIAL = ("uploadpack", "hiderefs", "promisor", "partialclone")
_SPECIAL_FILES = ("shallow", "objects/info/alternates", "info/grafts", "refs/replace")
_CORE = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n"
_BARE = f"{_CORE}\tbare = true\n[remote "
_WITH_FILES = f"{_CORE}\tbare = false\n\tlogallrefupdates = true\n[remote "
_MOST = 5000  # single objects: a server packs them


def git_folder_of_remote(path: Path) -> Path | None:
    """The Git folder of a repository on this machine, as Git looks for it."""
    for folder in (path / ".git", path):
        # Not by Path, which raises where a folder may not be looked into: Git says why.
        if isfile(folder):
            return None
        if isfile(folder / "HEAD") and isdir(folder / "objects"):
            return folder
    return None


def copy_all(
    remote: Path, objects: Mapping[str, str], peeled: Mapping[str, str], clone: Path
) -> bool:
    """Give a new clone the refs that a remote has, with all objects; whether it is complete.

    If not, what is in the clone is of no use.
    """
    try:
        if not _has_plain_objects(remote):
            return False
        for name in _objects_of(remote / "objects"):
            file = clone / "objects" / name
            file.parent.mkdir(exist_ok=True)
            link_or_copy(remote / "objects" / name, file)
        write_all_refs(clone, objects, peeled)
        tips = "".join(f"{value}\n" for value in sorted(set(objects.values())))
        git(clone, "rev-list", "--objects", "--quiet", "--stdin", stdin=tips.encode())
    except (OSError, ValueError, ProgramFailed):  # it may have been tidied up meanwhile
        return False
    return True


def write_all_refs(clone: Path, objects: Mapping[str, str], peeled: Mapping[str, str]) -> None:
    """Write the refs of a remote to a new clone with its objects; in one file, as they are read."""
    known = _peeled(objects, peeled, clone)
    write_packed_refs(clone, objects, known)
    if objects.keys() - known.keys():
        git(clone, "pack-refs", "--all")


def _peeled(objects: Mapping[str, str], peeled: Mapping[str, str], clone: Path) -> dict[str, str]:
    """What refs lead to; without tags that only Git can open."""
    found = {}
    for name, value in objects.items():
        known = peeled.get(name, "")
        if not known and (not name.startswith(TAGS) or is_packed_commit(clone, value)):
            known = value
        if known:
            found[name] = known
    return found


def _has_plain_objects(remote: Path) -> bool:
    settings = text_of(f"{remote}/config").lower()
    return (
        is_plain(remote)
        and not any(word in settings for word in _SPECIAL)
        and not any((remote / name).exists() for name in _SPECIAL_FILES)
        and not (remote / "objects").is_symlink()
        # Git refuses what belongs to others, unless the user's settings allow it.
        and remote.stat().st_uid == os.geteuid()
    )


def _objects_of(folder: Path) -> list[str]:
    """Files that hold objects; the index of a pack comes after it: Git looks for packs by them."""
    found: list[str] = []
    for inner in os.listdir(folder):
        if inner != "pack" and len(inner) != 2:  # noqa: PLR2004 - how names of objects begin
            continue
        with os.scandir(folder / inner) as files:
            for file in files:
                # A link could lead to anything that we may read.
                if not file.is_file(follow_symlinks=False) or file.name.endswith(".promisor"):
                    raise ValueError("not a plain file, or not complete")
                if inner != "pack" or file.name.endswith((".pack", ".idx")):
                    found.append(f"{inner}/{file.name}")
    if len(found) > _MOST or any((folder / name).is_symlink() for name in {"pack", *_inner(found)}):
        raise ValueError("too many, or links")
    return sorted(found, key=lambda name: (name.endswith(".idx"), name))


def _inner(names: list[str]) -> set[str]:
    return {name[:2] for name in names if not name.startswith("pack/")}
