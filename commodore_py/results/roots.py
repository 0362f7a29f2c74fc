"""Paths without the folders that differ from one place of work to the next."""

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
        # The innermost folder that a path lies in is the one that moves with it.
        self._folders = sorted(
            ((str(folder), name) for name, folder in folders.items()),
            key=lambda one: (-len(one[0]), one[1]),
        )
        self._by_name = {name: str(folder) for name, folder in folders.items()}
        self._known: dict[str, str] = {}
        self._texts = [
            (os.fsencode(folder), name.encode()) for name, folder in sorted(self._by_name.items())
        ]

        self._longest_first = [
            (os.fsencode(f"{folder}/"), f"\0{name}\0".encode()) for folder, name in self._folders
        ]

    def named_in(self, content: bytes) -> bytes:
        """Names of the folders whose paths stand in a content.

        Such a content leads to the same files in another place of work, where these are not below
        the folders of the same names.
        """
        return b"|".join(name for folder, name in self._texts if folder in content)

    def text_without(self, said: bytes) -> bytes:
        """A text for people in which the folders stand by name, for `text_with` to put back."""
        for folder, name in self._longest_first:
            said = said.replace(folder, name)
        return said

    def text_with(self, said: bytes) -> bytes:
        """Such a text with the folders of this place of work."""
        for folder, name in self._longest_first:
            said = said.replace(name, folder)
        return said

    def portable(self, path: str) -> str:
        """The path as it is written in keys and records."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._written(path)
        return found

    def knows(self, text: str) -> bool:
        """Whether there is such a path in this place of work."""
        name = text.partition(_MARK)[0]
        return not name or name in self._by_name

    def absolute(self, text: str) -> str:
        """The path that was written so, in this place of work."""
        name, _, rest = text.partition(_MARK)
        if not name:
            return rest
        folder = self._by_name.get(name)
        # A name from another place of work leads nowhere in this one.
        if folder is None:
            return f"/dev/null/{text}"
        return f"{folder}/{rest}" if rest else folder

    def folders(self) -> Mapping[str, str]:
        """The folders by their names."""
        return self._by_name

    def _written(self, path: str) -> str:
        if not path.startswith("/"):
            path = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - very many, and texts they stay
        for folder, name in self._folders:
            if path == folder:
                return f"{name}{_MARK}"
            if path.startswith(f"{folder}/"):
                return f"{name}{_MARK}{path[len(folder) + 1 :]}"
        return f"{_MARK}{path}"
