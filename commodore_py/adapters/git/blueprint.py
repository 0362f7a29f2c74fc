"""New bare repositories: Git makes the first of a run by its settings, the others are copies.

Each run looks at what clones have: what says nothing is not copied.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from .layout import by_program
from .locked_files import new_file
from .program import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_MOST = 100  # files of a template
_UNUSED = ("branches", "description")  # Git itself has no use for them any more
_RULES = "info/exclude"


class _Content(NamedTuple):
    folders: Sequence[str]
    files: Mapping[str, tuple[bytes, int]]
    """Content and mode."""


class Blueprint:
    """Makes empty bare repositories; one of them for all threads of a run."""

    __slots__ = ("_content", "_lock")

    def __init__(self) -> None:
        self._content: _Content | None = None
        self._lock = Lock()

    def make(self, folder: Path) -> None:
        """Make a new folder an empty bare repository."""
        with self._lock:
            if self._content is None:
                git(folder, "init", "--quiet", "--bare", "--initial-branch=master")
                self._content = None if by_program() else _content_of(folder)
                return
        for name in self._content.folders:
            os.mkdir(f"{folder}/{name}")
        for name, (content, mode) in self._content.files.items():
            new_file(f"{folder}/{name}", content, mode)


def _content_of(repository: Path) -> _Content | None:
    """What a new repository has of use; None if that is more than plain files."""
    folders: list[str] = []
    files: dict[str, tuple[bytes, int]] = {}
    for path in sorted(repository.rglob("*")):
        name = path.relative_to(repository).as_posix()
        if path.is_symlink() or len(files) > _MOST:
            return None
        if path.is_dir():
            if name not in _UNUSED or any(path.iterdir()):
                folders.append(name)
        elif name not in _UNUSED and path.suffix != ".sample":
            content = path.read_bytes()
            if name != _RULES or _has_rules(content):
                files[name] = (content, path.stat().st_mode & 0o777)
    return _Content(folders, files)


def _has_rules(content: bytes) -> bool:
    return any(not line.startswith(b"#") for line in content.splitlines())
