"""Blobs and notes in a folder that programs share, and that may be deleted at any time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import sweep
from .digest import digest_of, is_key
from .formats import blob_file, blob_of, note_file, note_of
from .place import Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .place import Doubt

    _Reader = Callable[[bytes, str], bytes | None]

_FORMAT = "v1"


class Store:
    """Contents by their digests, and notes by keys.

    What cannot be read, or is not as it was written, is missing; what cannot be written is not
    kept. Neither ends a run. Nothing is touched before the first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
        self._blobs, self._notes = f"{path}/{_FORMAT}/blobs", f"{path}/{_FORMAT}/notes"
        self._place = Place(path, (_FORMAT, f"{_FORMAT}/blobs", f"{_FORMAT}/notes"))

    def keep(self, content: bytes) -> str:
        """Keep a content, and return its digest; what is there already is not written again."""
        digest = digest_of(content)
        # What is there may be damaged: nobody may have read it before the work was done again.
        if self.blob(digest) is None:
            self._place.write(self._blob(digest), blob_file(content))
        return digest

    def blob(self, digest: str) -> bytes | None:
        """The content of a digest, if it is there and whole; one that is not is removed."""
        return self._read(self._blob(digest), blob_of, digest)

    def note(self, key: str, content: bytes) -> None:
        """Keep a content under a key of hexadecimal digits, instead of what was there."""
        self._place.write(self._note(key), note_file(content, key))

    def noted(self, key: str) -> bytes | None:
        """What is noted under a key, if it is there and whole; what is not is removed."""
        return self._read(self._note(key), note_of, key)

    def doubt(self) -> Doubt | None:
        """Why the store is not used, if it is there and must not be."""
        return self._place.doubt()

    def tidy(self, limit: int) -> None:
        """Now and then, and where the store seems too large: remove what was not used lately."""
        if not self._place.doubt():
            sweep.tidy(self._place.folder, (self._blobs, self._notes), limit)

    def prune(self, limit: int, *, unused_for: float | None = None) -> sweep.Pruned:
        """Remove what was not used for some seconds, and more until all fits into a limit."""
        return sweep.prune(self._place.folder, limit, unused_for=unused_for)

    def usage(self) -> sweep.Usage:
        """How much is kept."""
        return sweep.usage(self._blobs, self._notes)

    def verify(self) -> sweep.Verified:
        """Read everything, and remove what is not as it was written; nothing, if in doubt."""
        if self.doubt():
            return sweep.Verified(0, 0, ())
        return sweep.verify(
            (self._blobs, lambda key: self._read(self._blob(key), blob_of, key, use=False)),
            (self._notes, lambda key: self._read(self._note(key), note_of, key, use=False)),
        )

    def _read(self, path: str, content_of: _Reader, key: str, *, use: bool = True) -> bytes | None:
        file = self._place.read(path, use=use)
        if file is None:
            return None
        content = content_of(file, key)
        if content is None:
            self._place.drop(path)
        return content

    def _blob(self, digest: str) -> str:
        return _path(self._blobs, digest)

    def _note(self, key: str) -> str:
        return _path(self._notes, key)


def _path(folder: str, key: str) -> str:
    if not is_key(key):
        raise ValueError(f"not a key: {key!r}")
    return f"{folder}/{key[:2]}/{key[2:]}"
