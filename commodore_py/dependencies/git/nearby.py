"""Remotes on this machine: a new clone gets what they have by link or copy, with no server between.

It is what Git does for `git clone --local`. Where anything is out of the ordinary, it is left to a
fetch, which knows more.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters.files import link_or_copy
from commodore_py.adapters.git.files import text_of
from commodore_py.adapters.git.packs import is_packed_commit
from commodore_py.adapters.git.program import TAGS, git
from commodore_py.adapters.process import ProgramFailed

if TYPE_CHECKING:
    from pathlib import Path

    from .questions import Answer

# What a server with such settings gives away is not simply what it has.
_SPECIAL = ("extensions", "uploadpack", "hiderefs", "promisor", "partialclone", "include")
_SPECIAL_FILES = ("shallow", "objects/info/alternates", "info/grafts", "refs/replace")
_HEADER = "# pack-refs with: peeled fully-peeled sorted \n"
_MOST = 5000  # single objects: a server packs them


def bring(remote: Path, answer: Answer, clone: Path) -> bool:
    """Give a new clone all that a remote has, and tell whether it is complete then.

    If not, what is in the clone is of no use.
    """
    try:
        if not _is_plain(remote):
            return False
        for name in _objects_of(remote / "objects"):
            file = clone / "objects" / name
            file.parent.mkdir(exist_ok=True)
            link_or_copy(remote / "objects" / name, file)
        packed = _write_refs(answer, clone)
        tips = "".join(f"{value}\n" for value in sorted(set(answer.objects.values())))
        git(clone, "rev-list", "--objects", "--quiet", "--stdin", stdin=tips.encode())
        if not packed:
            git(clone, "pack-refs", "--all")
    except (OSError, ValueError, ProgramFailed):  # it may have been tidied up meanwhile
        return False
    return True


def _is_plain(remote: Path) -> bool:
    settings = text_of(f"{remote}/config").lower()
    return (
        not any(word in settings for word in _SPECIAL)
        and not any((remote / name).exists() for name in _SPECIAL_FILES)
        and not (remote / "objects").is_symlink()
        # Git refuses what belongs to others, unless the user's settings allow it.
        and remote.stat().st_uid == os.geteuid()
    )


def _objects_of(folder: Path) -> list[str]:
    """Files that hold objects; the index of a pack comes after it: Git looks for packs by them."""
    found: list[str] = []
    for inner in os.listdir(folder):  # noqa: PTH208 - quicker
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


def _write_refs(answer: Answer, clone: Path) -> bool:
    """Write branches and tags; False if some tags are left to be opened by Git."""
    lines, single = [_HEADER], []
    for name, value in sorted(answer.objects.items()):
        known = answer.peeled.get(name, "")
        if not known and (not name.startswith(TAGS) or is_packed_commit(clone, value)):
            known = value
        if not known:
            single.append((name, value))
            continue
        lines.append(f"{value} {name}\n")
        if known != value:
            lines.append(f"^{known}\n")
    (clone / "packed-refs").write_text("".join(lines), "utf-8")
    for name, value in single:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(f"{value}\n", "utf-8")
    return not single
