"""Tokens of earlier logins, in the file that is shared with Commodore."""

from __future__ import annotations

import fcntl
import json
import logging
import os
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.cache.trust import is_of_this_user
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import kind_of
from commodore_py.lieutenant.urls import base_url
from commodore_py.model.warning import FROM_EVERY_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

log = logging.getLogger(__name__)

_REMOVE = "remove the file, and log in again with `commodore login`"


class Session(NamedTuple):
    """The tokens of an earlier login."""

    id_token: str
    refresh_token: str

    def __repr__(self) -> str:
        return "Session()"  # without the tokens


class TokenCache(NamedTuple):
    """One JSON object in a file: responses of token endpoints, by the URL of the API."""

    file: Path

    def sessions(self, api_url: str) -> tuple[Session, ...]:
        """The sessions of an API: that of its normalised URL, then those of other spellings."""
        entries = self._read()
        found = (entries.get(key) for key in _spellings(api_url, entries))
        return tuple(
            Session(_text(entry, "id_token"), _text(entry, "refresh_token"))
            for entry in found
            if isinstance(entry, dict)
        )

    def store(self, api_url: str, response: Mapping[str, Any]) -> None:
        """Store the response of a token endpoint."""
        entries = self._read()
        # Commodore reads other spellings. The refresh token there has just been used; using it
        # twice makes many providers end the whole session.
        entries |= {spelling: dict(response) for spelling in _spellings(api_url, entries)}
        self._write(entries)

    def forget(self, api_url: str) -> bool:
        """Remove the sessions of an API; False if there were none."""
        entries = self._read()
        removed = _spellings(api_url, entries)
        remaining = {key: entry for key, entry in entries.items() if key not in removed}
        if remaining == entries:
            return False
        self._write(remaining)
        return True

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
                    extra={**FROM_EVERY_RUN, "where": str(self.file), "hint": _REMOVE},
                )
                return {}
            entries = json_text.load(self.file.read_bytes(), name=str(self.file))
        except FileNotFoundError:
            return {}
        except OSError as error:
            log.warning("%s cannot be read: %s", self.file, error.strerror, extra=FROM_EVERY_RUN)
            return {}
        except ValueError:
            log.warning(
                "%s is not valid JSON; its content is ignored", self.file, extra=FROM_EVERY_RUN
            )
            return {}
        if not isinstance(entries, dict):
            log.warning(
                "%s holds %s instead of an object; its content is ignored",
                self.file,
                kind_of(entries),
                extra=FROM_EVERY_RUN,
            )
            return {}
        return entries

    def _write(self, entries: Mapping[str, Any]) -> None:
        # The file may be a link to another folder.
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
                f"cannot store the token: {error.strerror}",
                where=str(self.file),
                hint="fix that, or set XDG_CACHE_HOME to a writable folder",
            ) from error


def _spellings(api_url: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The normalised form of a URL, and the keys that are other spellings of it."""
    normalised = base_url(api_url)
    return (normalised, *(k for k in keys if k != normalised and _is_spelling(k, normalised)))


def _is_spelling(key: str, normalised: str) -> bool:
    try:
        return base_url(key) == normalised
    except CommodoreError:
        return False


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
