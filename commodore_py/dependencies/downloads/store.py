"""What was downloaded, by its digest; and what is known about where it came from."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import aside_of, write_if_changed
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SCHEMA = "download/v1"
_PIECE = 1 << 20
_STALE = 3600.0  # how old the note of a use may be


@dataclass(frozen=True, slots=True)
class Known:
    """What a download turned out to be."""

    source: str
    """For people."""
    sha256: str
    """Of its content, which is a file of that name."""
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of contents and notes; all of it may be deleted at any time."""

    folder: Path

    def find(self, *key: str) -> Known | None:
        """What is known under a key, if its content is still there as it was."""
        note = self._note(key)
        try:
            known = read_note(note)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if known.sha256 and not self.content(known).is_file():
            return None
        with suppress(OSError):
            if time.time() - note.stat().st_mtime > _STALE:
                os.utime(note)
        return known

    def content(self, known: Known) -> Path:
        """The file that holds a content."""
        return self.folder / "content" / known.sha256[:2] / known.sha256

    def verified(self, known: Known) -> Path | None:
        """The same, if the file is what it is called; one that is not is removed."""
        file = self.content(known)
        try:
            if digest_of(file) == known.sha256:
                return file
        except FileNotFoundError:
            return None
        file.unlink(missing_ok=True)
        return None

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A folder for what is being downloaded."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            scratch = aside_of(self.folder / "incoming")
            with tempfile.TemporaryDirectory(prefix=scratch.name, dir=self.folder) as name:
                yield Path(name)
        except OSError as error:
            raise CommodoreError(
                f"cannot keep downloads: {error.strerror}", where=str(error.filename or self.folder)
            ) from error

    def keep(self, file: Path, source: str, *key: str, sha256: str = "", **about: str) -> Known:
        """Take over a file as the content of a key."""
        known = Known(source, sha256 or digest_of(file), about)
        place = self.content(known)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.replace(place)
        self._write(known, key)
        return known

    def note(self, source: str, *key: str, sha256: str = "", **about: str) -> Known:
        """Note what was found out, about a content that is there already or about none."""
        known = Known(source, sha256, about)
        self._write(known, key)
        return known

    def _write(self, known: Known, key: tuple[str, ...]) -> None:
        content = {
            "schema": _SCHEMA,
            "kind": key[0],
            "source": known.source,
            "sha256": known.sha256,
            "about": dict(known.about),
        }
        note = self._note(key)
        write_if_changed(note, json.dumps(content, indent=1).encode())
        with suppress(FileNotFoundError):  # somebody empties the cache right now
            os.utime(note)

    def _note(self, key: tuple[str, ...]) -> Path:
        digest = hashlib.sha256(json.dumps(key).encode(errors="surrogateescape")).hexdigest()
        return self.folder / "known" / f"{key[0]}-{digest[:32]}.json"


def read_note(note: Path) -> Known:
    """What a note says; one that is not understood is a ValueError or its like."""
    content = json.loads(note.read_bytes())
    if content["schema"] != _SCHEMA:
        raise ValueError(content["schema"])
    return Known(str(content["source"]), str(content["sha256"]), dict(content["about"]))


def digest_of(file: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
