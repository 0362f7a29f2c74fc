"""Tokens of earlier logins, in the file that is shared with Commodore."""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import bytes_of
from commodore_py.cache.trust import is_of_this_user
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.urls import base_url
from commodore_py.model.names import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TokenCache:
    """One JSON object in a file: responses of token endpoints, by the URL of the API."""

    file: Path

    def texts(self, api_url: str, name: str) -> tuple[str, ...]:
        """The tokens of a name for an API: `id_token` or `refresh_token`."""
        texts = (entry.get(name) for entry in self.entries(api_url))
        return tuple(text for text in texts if text and isinstance(text, str))

    def entries(self, api_url: str) -> tuple[Mapping[str, Any], ...]:
        """The stored responses for an API."""
        stored = self._read()
        entries = (stored.get(key) for key in _keys(api_url))
        return tuple(entry for entry in entries if isinstance(entry, dict))

    def store(self, api_url: str, response: Mapping[str, Any]) -> None:
        """Store the response of a token endpoint."""
        # Under both keys: the refresh token of an older entry has just been used, and using it
        # twice makes many providers end the whole session.
        self._write(self._read() | {key: dict(response) for key in _keys(api_url)})

    def forget(self, api_url: str) -> bool:
        """Remove the tokens for an API; False if there were none."""
        entries = self._read()
        removed = [entries.pop(key) for key in _keys(api_url) if key in entries]
        if removed:
            self._write(entries)
        return bool(removed)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock that is needed to change the file or refresh its tokens."""
        with ExitStack() as held:
            # A folder without write access is reported on writing, if that ever happens.
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
            if not is_of_this_user(self.file.stat()):
                log.warning(
                    "the saved tokens are not used: another user may have written them",
                    extra={
                        "where": str(self.file),
                        "hint": "remove the file, and log in again with `commodore login`",
                    },
                )
                return {}
            entries = json_text.load(bytes_of(str(self.file)), name=str(self.file))
        except FileNotFoundError:
            return {}
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        except ValueError:
            problem = "is not valid JSON; its content is ignored"
        else:
            if isinstance(entries, dict):
                return entries
            problem = f"holds {kind_of(entries)} instead of an object; its content is ignored"
        log.warning("%s %s", self.file, problem)
        return {}

    def _write(self, entries: Mapping[str, Any]) -> None:
        # The file may be a link to another folder.
        file = Path(os.path.realpath(self.file))
        try:
            self._make_folder()
            if file.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with suppress(FileNotFoundError):
                file.chmod(0o600)
            write_if_changed(file, json.dumps(entries, indent=1).encode(), private=True)
        except OSError as error:
            raise CommodoreError(
                f"cannot store the token: {error.strerror}",
                where=str(self.file),
                hint="fix that, or set XDG_CACHE_HOME to a writable folder",
            ) from error


def _keys(api_url: str) -> tuple[str, ...]:
    """The keys of an API: its URL as it is given, which is Commodore's, and normalised."""
    return tuple(dict.fromkeys((api_url, base_url(api_url))))
