"""Find the files of a checkout that Git wrote: complete or truncated files of a version."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.git.program import git, git_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LINK, _FILE, _PROGRAM = "120000", "100644", "100755"
_PLAIN = re.compile(r"[^\"\r\n][^\r\n]*")
Version: TypeAlias = "Mapping[str, tuple[str, str]]"
"""Modes and names of contents, by path."""
CLOCKS = 1.0  # what file systems and the system may differ by, in seconds


def version_of(directory: Path, tree: str) -> Version:
    """The files of a commit or tree; without one there are none."""
    output = git_bytes(directory, "ls-tree", "-r", "-z", "--full-tree", tree) if tree else b""
    files = {}
    for line in os.fsdecode(output).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, _, name = about.split(" ")
        if mode in (_LINK, _FILE, _PROGRAM):  # a submodule has its files for itself
            files[path] = (mode, name)
    return files


def written_by_git(
    place: Path,
    versions: Sequence[Version],
    *,
    began: float,
    env: Mapping[str, str] | None = None,
) -> set[str]:
    """Paths of these versions where nothing is of the user's: theirs, cut off, or missing."""
    paths = sorted({path for version in versions for path in version})
    modes = {path: _mode(place, path) for path in paths}
    names = _names(place, modes, env)
    ours = set()
    for path in paths:
        expected = [version[path] for version in versions if path in version]
        if (
            modes[path] is None
            or (modes[path], names.get(path)) in expected
            or any(
                modes[path] == mode and _is_beginning(place, path, name, began=began, env=env)
                for mode, name in expected
            )
        ):
            ours.add(path)
    return ours


def is_there(place: Path, path: str) -> bool:
    """Return whether something that Git could have written is in a path's place."""
    return _mode(place, path) in (_LINK, _FILE, _PROGRAM)


def is_free(place: Path, path: str) -> bool:
    """Return whether a file can be written without removing folders or following links."""
    folders = [place / folder for folder in Path(path).parents[:-1]]
    in_the_way = any(f.is_symlink() or (f.exists() and not f.is_dir()) for f in folders)
    file = place / path
    return not in_the_way and (file.is_symlink() or not file.is_dir())


def _mode(place: Path, path: str) -> str | None:
    """The mode of what is in a path's place: None for nothing, empty for what Git never wrote."""
    if any((place / folder).is_symlink() for folder in Path(path).parents[:-1]):
        return None  # what is behind a link has another path
    try:
        mode = (place / path).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return _LINK
    if stat.S_ISREG(mode):
        return _PROGRAM if mode & stat.S_IXUSR else _FILE
    return ""


def _names(
    place: Path, modes: Mapping[str, str | None], env: Mapping[str, str] | None
) -> dict[str, str]:
    """Object ids of the contents that are there."""
    links = [path for path, mode in modes.items() if mode == _LINK]
    # Names come one per line, quoted or not; one that could be misread is not ours to judge.
    files = [p for p, mode in modes.items() if mode in (_FILE, _PROGRAM) and _PLAIN.fullmatch(p)]
    stdin = os.fsencode("".join(f"{path}\n" for path in files))
    object_ids = git(place, "hash-object", "--stdin-paths", stdin=stdin, env=env).split()
    names = dict(zip(files, object_ids, strict=True))
    for path in links:
        content = os.fsencode((place / path).readlink())
        names[path] = git(place, "hash-object", "--stdin", stdin=content, env=env)
    return names


def _is_beginning(
    place: Path, path: str, name: str, *, began: float, env: Mapping[str, str] | None
) -> bool:
    """Return whether Git was ended while it wrote this file."""
    file = place / path
    if file.is_symlink() or file.stat().st_mtime < began - CLOCKS:
        return False
    whole = git_bytes(place, "cat-file", "--filters", f"--path={path}", name, env=env)
    with file.open("rb") as content:
        return whole.startswith(content.read(len(whole) + 1))
