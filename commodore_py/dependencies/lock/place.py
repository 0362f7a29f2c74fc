"""The place of a cluster's lock file, and its digest: all that an unchanged run needs."""

from __future__ import annotations

import hashlib
from pathlib import Path

from commodore_py.adapters.reading import NotReadable, bytes_of


def file_of(named: Path, cluster_id: str) -> Path:
    """The file of a cluster; `{cluster}` in the name stands for its id."""
    return Path(str(named).replace("{cluster}", cluster_id))


def short_name(file: Path) -> str:
    """A file for messages and commands in them: relative to the current directory, if below it."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def digest_of_file(file: Path) -> str:
    """The digest of a lock file; empty without one."""
    try:
        return hashlib.sha256(bytes_of(str(file))).hexdigest()
    except (OSError, NotReadable):
        return ""
