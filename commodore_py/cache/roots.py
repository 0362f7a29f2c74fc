"""Paths without the folders that differ from one working directory to the next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MARK = ":"


class Roots:
    """Folders under short names: a path below one of them is written with its name."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._by_name: dict[str, str] = {}
        for name, folder in folders.items():
            if str(folder) not in self._by_name.values():
                self._by_name[name] = str(folder)
        # The innermost folder that holds a path is the one that moves with it.
        self._innermost = sorted(self._by_name.items(), key=lambda root: -len(root[1]))
        self._encoded = [(name, os.fsencode(folder)) for name, folder in self._by_name.items()]
        self._portable: dict[str, str] = {}

    def named_in(self, content: bytes) -> list[str]:
        """Names of the folders whose paths a content holds.

        In another working directory, such a content leads to files that are not below the folders
        of the same names.
        """
        return [name for name, folder in self._encoded if folder in content]

    def portable(self, path: str) -> str:
        """The path as it is written in keys and records."""
        written = self._portable.get(path)
        if written is None:
            written = self._portable[path] = self._written(path)
        return written

    def absolute(self, written: str) -> str:
        """The path that was written so, in this working directory.

        Raises KeyError for a folder that only another working directory has.
        """
        name, _, rest = written.partition(_MARK)
        if not name:
            return rest
        folder = self._by_name[name]
        return f"{folder}/{rest}" if rest else folder

    def _written(self, path: str) -> str:
        for name, folder in self._innermost:
            if path == folder:
                return f"{name}{_MARK}"
            if path.startswith(f"{folder}/"):
                return f"{name}{_MARK}{path[len(folder) + 1 :]}"
        return f"{_MARK}{path}"
