"""The user's store on disk: blobs by digest and records by key."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from . import sweep
from .digests import digest
from .private_files import PrivateFiles
from .trust import distrust_in

if TYPE_CHECKING:
    from pathlib import Path

    from .trust import Distrust

_FORMAT = "v2"
_SEAL = 64
_HEX = frozenset("0123456789abcdef")
_SHORTEST_KEY = 8


class Store:
    """Contents in a folder that may be deleted at any time; one that is damaged is missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
        self._blobs, self._records = f"{path}/{_FORMAT}/blobs", f"{path}/{_FORMAT}/records"
        self._files = PrivateFiles(path, (_FORMAT, f"{_FORMAT}/blobs", f"{_FORMAT}/records"))

    def add_blob(self, content: bytes) -> str:
        """Store a content, and return its digest; what is there already is not written again."""
        name = digest(content)
        # What is there may be damaged, and not have been read before the work was done again.
        if self.blob(name) is None:
            self._files.write(_path(self._blobs, name), content)
        return name

    def blob(self, name: str) -> bytes | None:
        """The content of a digest, if it is there and whole; one that is not is removed."""
        path = _path(self._blobs, name)
        content = self._files.read(path)
        if content is None or digest(content) == name:
            return content
        self._files.drop(path)
        return None

    def set_record(self, key: str, content: bytes) -> None:
        """Store a content under a key of hexadecimal digits, in place of an earlier one."""
        self._files.write(_path(self._records, key), _seal(content, key) + content)

    def record(self, key: str) -> bytes | None:
        """The content under a key, if it is there and whole; one that is not is removed."""
        path = _path(self._records, key)
        file = self._files.read(path)
        if file is None:
            return None
        content = file[_SEAL:]
        if file[:_SEAL] == _seal(content, key):
            return content
        self._files.drop(path)
        return None

    def distrust(self) -> Distrust | None:
        """Why the store is not used, if it is there and must not be."""
        folder = self._files.folder
        return distrust_in((folder, *(f"{folder}/{name}" for name in self._files.inside)))

    def tidy(self, limit: int) -> None:
        """Remove the oldest contents if the store is too large; looked at now and then only."""
        if not self.distrust():
            sweep.tidy(self._files.folder, limit)

    def prune(self, limit: int, *, unused_for: float | None = None) -> sweep.Pruned:
        """Remove what was not used for some seconds, and more until all fits into a limit."""
        return sweep.prune(self._files.folder, limit, unused_for=unused_for)

    def usage(self) -> sweep.Usage:
        """How much is stored."""
        return sweep.usage(self._blobs, self._records)


def _path(folder: str, key: str) -> str:
    if len(key) < _SHORTEST_KEY or not _HEX.issuperset(key):
        raise ValueError(f"not a key: {key!r}")
    return f"{folder}/{key[:2]}/{key[2:]}"


def _seal(content: bytes, key: str) -> bytes:
    return blake2b(content, key=key.encode()[:64], digest_size=_SEAL // 2).hexdigest().encode()
