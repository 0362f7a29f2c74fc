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
        names = [(str(folder), name) for name, folder in folders.items()]
        # The innermost folder that holds a path is the one that moves with it.
        self._folders = sorted(names, key=lambda one: (-len(one[0]), one[1]))
        self._by_name = {name: str(folder) for name, folder in folders.items()}
        self._known: dict[str, str] = {}
        by_name = sorted(names, key=lambda one: one[1])
        self._texts = [(os.fsencode(folder), name.encode()) for folder, name in by_name]
        self._longest_first = [
            (os.fsencode(f"{folder}/"), f"\0{name}\0".encode()) for folder, name in self._folders
        ]

    def named_in(self, content: bytes) -> bytes:
        """Names of the folders whose paths a content holds.

        In another working directory, such a content leads to files that are not below the folders
        of the same names.
        """
        found = dict.fromkeys(name for folder, name in self._texts if folder in content)
        return b"|".join(found)

    def portable_text(self, text: bytes) -> bytes:
        """A text for people with names in place of the folders, for `local_text` to put back."""
        for folder, name in self._longest_first:
            text = text.replace(folder, name)
        return text

    def local_text(self, text: bytes) -> bytes:
        """Such a text with the folders of this working directory."""
        for name, folder in self._by_name.items():
            text = text.replace(f"\0{name}\0".encode(), os.fsencode(f"{folder}/"))
        return text

    def portable(self, path: str) -> str:
        """The path as it is written in keys and records."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._written(path)
        return found

    def knows(self, text: str) -> bool:
        """Whether there is such a path in this working directory."""
        name = text.partition(_MARK)[0]
        return not name or name in self._by_name

    def absolute(self, text: str) -> str:
        """The path that was written so, in this working directory."""
        name, _, rest = text.partition(_MARK)
        if not name:
            return rest
        folder = self._by_name.get(name)
        # A name from another working directory leads nowhere in this one.
        if folder is None:
            return f"/dev/null/{text}"
        return f"{folder}/{rest}" if rest else folder

    def folders(self) -> Mapping[str, str]:
        """The folders by their names."""
        return self._by_name

    def _written(self, path: str) -> str:
        if not path.startswith("/"):
            path = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - very many, and all texts
        for folder, name in self._folders:
            if path == folder:
                return f"{name}{_MARK}"
            if path.startswith(f"{folder}/"):
                return f"{name}{_MARK}{path[len(folder) + 1 :]}"
        return f"{_MARK}{path}"
