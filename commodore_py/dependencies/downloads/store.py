"""The cache of downloads: contents by digest, and notes by source."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import aside_of, remove, write_if_changed
from commodore_py.cache.trust import is_of_this_user, is_trusted
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.config import Config

_SCHEMA = "download/v1"
_INSIDE = ("content", "known")
_PIECE = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_STALE = 3600.0  # seconds after which the time of the last use is updated


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored download."""

    source: str
    """A description for messages."""
    sha256: str
    """The digest of its content, which is the name of the file."""
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CachedDownload:
    """A download in the cache."""

    kind: str
    source: str
    bytes: int
    used: datetime
    note: Path
    content: Path


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of contents and notes, which may be deleted at any time."""

    folder: Path

    @classmethod
    def of(cls, config: Config) -> Store:
        """That of the user, or one of the working directory if others may have written to it."""
        folder = config.download_cache
        if folder is None or not is_trusted("the cache of downloads", folder, *_INSIDE):
            folder = config.paths.state / "downloads"
        return cls(folder)

    def find(self, *key: str) -> Stored | None:
        """The download of a key, if its content is there; a damaged one is removed."""
        note = self._note(key)
        try:
            status = note.stat()
            if not is_of_this_user(status):
                return None
            stored = _read_note(note)
            file = self.content(stored)
            if stored.sha256 and not (file.is_file() and digest_of(file) == stored.sha256):
                file.unlink()
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            if time.time() - status.st_mtime > _STALE:
                os.utime(note)
        return stored

    def content(self, stored: Stored) -> Path:
        """The file that holds a content."""
        return self.folder / "content" / stored.sha256[:2] / stored.sha256

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A scratch folder for files that are being downloaded."""
        try:
            self._make()
            scratch = aside_of(self.folder / "incoming")
            with tempfile.TemporaryDirectory(prefix=scratch.name, dir=self.folder) as name:
                yield Path(name)
        except OSError as error:
            raise CommodoreError(
                f"cannot store downloads: {error.strerror}",
                where=str(error.filename or self.folder),
            ) from error

    def add(self, file: Path, source: str, *key: str, sha256: str = "", **about: str) -> Stored:
        """Move a file into the store as the content of a key."""
        stored = Stored(source, sha256 or digest_of(file), about)
        place = self.content(stored)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.replace(place)
        self._write(stored, key)
        return stored

    def note(self, source: str, *key: str, sha256: str = "", **about: str) -> Stored:
        """Write a note for a key, about a stored content or without one."""
        stored = Stored(source, sha256, about)
        self._write(stored, key)
        return stored

    def forget(self, *key: str) -> None:
        """Remove the note for a key; the content may be that of others, too."""
        self._note(key).unlink(missing_ok=True)

    def cached(self) -> tuple[CachedDownload, ...]:
        """Every cached download, sorted by kind and source."""
        cached = []
        for note in (self.folder / "known").glob("*.json"):
            try:
                stored, used = _read_note(note), note.stat().st_mtime
                content = self.content(stored)
                size = content.stat().st_size if stored.sha256 else 0
            except (OSError, ValueError, KeyError, TypeError):
                continue  # another run is writing it, or another version wrote it
            kind, moment = note.name.partition("-")[0], datetime.fromtimestamp(used, tz=UTC)
            cached.append(CachedDownload(kind, stored.source, size, moment, note, content))
        return tuple(sorted(cached, key=lambda each: (each.kind, each.source, each.note.name)))

    def prune(self, unused: Iterable[CachedDownload], *, before: datetime) -> int:
        """Remove unused downloads and contents without a note; returns the bytes freed."""
        dropped = set()
        for download in unused:
            dropped.add(download.content)
            download.note.unlink(missing_ok=True)
        needed = {download.content for download in self.cached()}
        freed = 0
        for file in (self.folder / "content").glob("*/*"):
            with suppress(FileNotFoundError):
                status = file.stat()
                # A new file may belong to a run that has not written its note yet.
                if file not in needed and (file in dropped or status.st_mtime < before.timestamp()):
                    freed += status.st_size
                    file.unlink()
        for left_over in self.folder.glob(".commodore-*"):
            with suppress(OSError):
                if left_over.stat().st_mtime < before.timestamp():
                    remove(left_over)
        return freed

    def _make(self) -> None:
        # Whatever the umask: others must not be able to add to what is trusted.
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        for folder in (self.folder, *(self.folder / name for name in _INSIDE)):
            folder.mkdir(exist_ok=True, mode=0o700)

    def _write(self, stored: Stored, key: tuple[str, ...]) -> None:
        content = {
            "schema": _SCHEMA,
            "kind": key[0],
            "source": stored.source,
            "sha256": stored.sha256,
            "about": dict(stored.about),
        }
        self._make()
        note = self._note(key)
        write_if_changed(note, json.dumps(content, indent=1).encode())
        with suppress(FileNotFoundError):  # another process is emptying the cache
            os.utime(note)

    def _note(self, key: tuple[str, ...]) -> Path:
        digest = hashlib.sha256(json.dumps(key).encode(errors="surrogateescape")).hexdigest()
        return self.folder / "known" / f"{key[0]}-{digest[:32]}.json"


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Settings of all downloads of a run."""

    store: Store
    refresh: bool
    """Whether what may have changed is requested again; else the cached content is used."""
    offline: bool
    timeout: float
    warn: Callable[[CommodoreError], None] = lambda _: None
    """Called with warnings; with --strict these are errors."""

    def require_network(self, what: str) -> None:
        """Raise in an offline run."""
        if self.offline:
            raise NotAvailableOffline.named(what)


def _read_note(note: Path) -> Stored:
    """Read a note; raises ValueError or the like if it is not a valid one."""
    content = json_text.load(note.read_bytes(), name=str(note))
    if content["schema"] != _SCHEMA:
        raise ValueError(content["schema"])
    sha256 = str(content["sha256"])
    # It is the name of a file, which is removed if it is damaged; an export may bring the note.
    if sha256 and not _SHA256.fullmatch(sha256):
        raise ValueError(sha256)
    return Stored(str(content["source"]), sha256, dict(content["about"]))


def digest_of(file: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
