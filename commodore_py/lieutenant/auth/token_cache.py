"""Tokens of earlier logins, in the file where Commodore keeps them as well."""

from __future__ import annotations

import fcntl
import json
import logging
import os
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.described import kind_of
from commodore_py.lieutenant.urls import base_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """What an earlier login left: the token itself, and what may bring the next one."""

    id_token: str = field(repr=False)
    refresh_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenCache:
    """One JSON object in a file: answers of token endpoints, by the URL of the API."""

    file: Path

    def sessions(self, api_url: str) -> tuple[Session, ...]:
        """What is kept for an API; first under its usual spelling, then under all others."""
        entries = self._read()
        found = (entries.get(key) for key in _spellings(api_url, entries))
        return tuple(
            Session(_text(entry, "id_token"), _text(entry, "refresh_token"))
            for entry in found
            if isinstance(entry, dict)
        )

    def keep(self, api_url: str, answer: Mapping[str, Any]) -> None:
        """Keep what a token endpoint answered."""
        entries = self._read()
        # Commodore looks under other spellings. What it would find there has just been used up:
        # a refresh token that is used twice makes many providers end the whole session.
        entries |= {spelling: dict(answer) for spelling in _spellings(api_url, entries)}
        self._write(entries)

    def forget(self, api_url: str) -> bool:
        """Remove what is kept for an API, and nothing else; False when there was nothing."""
        entries = self._read()
        gone = _spellings(api_url, entries)
        left = {key: entry for key, entry in entries.items() if key not in gone}
        if left == entries:
            return False
        self._write(left)
        return True

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only one to change the file, and to renew what is in it."""
        with ExitStack() as held:
            # A place that cannot be locked is told when it is written to, if it ever is.
            with suppress(OSError):
                self._make_folder()
                lock = os.open(f"{self.file}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                held.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make_folder(self) -> None:
        self.file.parent.parent.mkdir(parents=True, exist_ok=True)
        self.file.parent.mkdir(mode=0o700, exist_ok=True)

    def _read(self) -> dict[str, Any]:
        try:
            entries = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read: %s", self.file, error.strerror)
            return {}
        except ValueError:
            log.warning("%s is no JSON; it is started anew", self.file)
            return {}
        if not isinstance(entries, dict):
            log.warning("%s holds %s; it is started anew", self.file, kind_of(entries))
            return {}
        return entries

    def _write(self, entries: Mapping[str, Any]) -> None:
        # Some people keep the file elsewhere, by way of a link.
        file = Path(os.path.realpath(self.file))
        aside = file.with_name(f".{file.name}.{os.getpid()}.new")
        try:
            self._make_folder()
            aside.unlink(missing_ok=True)
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
                json.dump(entries, new, indent=1)
            aside.replace(file)
        except OSError as error:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            raise CommodoreError(
                f"cannot keep the token: {error.strerror}",
                where=str(self.file),
                hint="mend that, or set XDG_CACHE_HOME to a folder that can be written to",
            ) from error


def _spellings(api_url: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The usual spelling of a URL, and the keys that mean the same one."""
    usual = base_url(api_url)
    return (usual, *(key for key in keys if key != usual and _is_spelling(key, usual)))


def _is_spelling(key: str, usual: str) -> bool:
    try:
        return base_url(key) == usual
    except CommodoreError:
        return False


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
