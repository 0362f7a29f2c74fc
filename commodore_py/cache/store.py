"""The user's store on disk: blobs and notes in a folder that may be deleted at any time."""

from __future__ import annotations

import os
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING

from . import sweep
from .private_folder import PrivateFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .trust import Distrust

    _Reader = Callable[[bytes, str], bytes | None]

_FORMAT = "v1"
_DIGEST_SIZE = 32
_PLAIN, _PACKED = b"=", b"z"
# Unpacking takes several times as long as reading; only what is large is worth it.
_LARGE = 256 * 1024
_QUICK = 1


def digest_of(content: bytes) -> str:
    """The name of a content: strong, and as fast on machines without instructions for SHA."""
    return blake2b(content, digest_size=_DIGEST_SIZE).hexdigest()


class Store:
    """Contents by their digests, and notes by keys.

    What cannot be read, or is damaged, is missing; what cannot be written is not stored. Neither
    ends a run. Nothing is touched before the first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
        self._blobs, self._notes = f"{path}/{_FORMAT}/blobs", f"{path}/{_FORMAT}/notes"
        self._folder = PrivateFolder(path, (_FORMAT, f"{_FORMAT}/blobs", f"{_FORMAT}/notes"))

    def keep(self, content: bytes) -> str:
        """Store a content, and return its digest; what is there already is not written again."""
        digest = digest_of(content)
        # What is there may be damaged, and not have been read before the work was done again.
        if self.blob(digest) is None:
            self._folder.write(self._blob_path(digest), _blob_file(content))
        return digest

    def blob(self, digest: str) -> bytes | None:
        """The content of a digest, if it is there and whole; one that is not is removed."""
        return self._read(self._blob_path(digest), _blob_of, digest)

    def note(self, key: str, content: bytes) -> None:
        """Store a content under a key of hexadecimal digits, in place of an earlier one."""
        self._folder.write(self._note_path(key), _note_file(content, key))

    def noted(self, key: str) -> bytes | None:
        """What is noted under a key, if it is there and whole; what is not is removed."""
        return self._read(self._note_path(key), _note_of, key)

    def distrust(self) -> Distrust | None:
        """Why the store is not used, if it is there and must not be."""
        return self._folder.distrust()

    def tidy(self, limit: int) -> None:
        """Now and then, and where the store seems too large: remove what was not used lately."""
        if not self._folder.distrust():
            sweep.tidy(self._folder.folder, (self._blobs, self._notes), limit)

    def prune(self, limit: int, *, unused_for: float | None = None) -> sweep.Pruned:
        """Remove what was not used for some seconds, and more until all fits into a limit."""
        return sweep.prune(self._folder.folder, limit, unused_for=unused_for)

    def usage(self) -> sweep.Usage:
        """How much is stored."""
        return sweep.usage(self._blobs, self._notes)

    def _read(self, path: str, content_of: _Reader, key: str) -> bytes | None:
        file = self._folder.read(path)
        if file is None:
            return None
        content = content_of(file, key)
        if content is None:
            self._folder.drop(path)
        return content

    def _blob_path(self, digest: str) -> str:
        return _path(self._blobs, digest)

    def _note_path(self, key: str) -> str:
        return _path(self._notes, key)


def _path(folder: str, key: str) -> str:
    if not sweep.is_key(key):
        raise ValueError(f"not a key: {key!r}")
    return f"{folder}/{key[:2]}/{key[2:]}"


def _blob_file(content: bytes) -> bytes:
    """A content as it is written."""
    if len(content) >= _LARGE:
        packed = zlib.compress(content, _QUICK)
        if len(packed) < len(content) // 2:
            return _PACKED + packed
    return _PLAIN + content


def _blob_of(file: bytes, digest: str) -> bytes | None:
    """The content of such a file, if it is the one of that digest."""
    kind, content = file[:1], file[1:]
    if kind == _PACKED:
        try:
            content = zlib.decompress(content)
        except zlib.error:
            return None
    elif kind != _PLAIN:
        return None
    return content if digest_of(content) == digest else None


def _note_file(content: bytes, key: str) -> bytes:
    """A note as it is written."""
    return _seal(content, key) + content


def _note_of(file: bytes, key: str) -> bytes | None:
    """The note in such a file, if it is whole and was made for that key."""
    content = file[_DIGEST_SIZE:]
    return content if file[:_DIGEST_SIZE] == _seal(content, key) else None


def _seal(content: bytes, key: str) -> bytes:
    seal = blake2b(key.encode(), digest_size=_DIGEST_SIZE, person=b"commodore note")
    seal.update(content)
    return seal.digest()
