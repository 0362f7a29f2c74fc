"""Files that machines share: any storage that fsspec reaches, such as s3:// or file://."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError

from .writing import write_if_changed

_LARGEST = 256 << 20
_SECONDS = 10
_S3 = {
    "use_listings_cache": False,
    "config_kwargs": {
        "connect_timeout": _SECONDS,
        "read_timeout": _SECONDS,
        "retries": {"total_max_attempts": 2},
    },
}


class Unavailable(CommodoreError):
    """The storage cannot be used now."""


class SharedFiles:
    """Whole files below an address, by their paths."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._process = 0
        self._files: Any = None
        self._root = ""

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            files = self._opened()
            content = files.cat_file(f"{self._root}/{path}", start=0, end=_LARGEST + 1)
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._unavailable(error) from error
        return content if isinstance(content, bytes) and len(content) <= _LARGEST else None

    def size(self, path: str) -> int | None:
        """The size of a file; None if there is none."""
        try:
            size = self._opened().size(f"{self._root}/{path}")
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._unavailable(error) from error
        return size if isinstance(size, int) else None

    def write(self, path: str, content: bytes) -> None:
        """Write a file as a whole, in place of an earlier one."""
        try:
            files, place = self._opened(), f"{self._root}/{path}"
            if "file" in files.protocol:  # only object stores replace a file at once
                write_if_changed(Path(place), content)
            else:
                files.pipe_file(place, content)
        except Exception as error:
            raise self._unavailable(error) from error

    def _opened(self) -> Any:  # noqa: ANN401 - fsspec has no types
        # A connection does not survive a fork.
        if self._process != os.getpid():
            # Heavy, and for few users.
            from fsspec.core import url_to_fs

            options = _S3 if self.url.startswith("s3:") else {}
            self._files, root = url_to_fs(self.url, **options)
            self._root, self._process = root.rstrip("/"), os.getpid()
        return self._files

    def _unavailable(self, error: Exception) -> Unavailable:
        hint = "check the address, the network and the credentials"
        if isinstance(error, ImportError):
            hint = "install commodore-py with its extra fleet"
        reason = str(error) or type(error).__name__
        return Unavailable(reason, where=without_secrets(self.url), hint=hint)
