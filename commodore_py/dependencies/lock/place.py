"""The place of a cluster's lock file, and its digest: all that an unchanged run needs."""

from __future__ import annotations

from pathlib import Path


def file_of(named: Path, cluster_id: str) -> Path:
    """The file of a cluster; `{cluster}` in the name stands for its id."""
    return Path(str(named).replace("{cluster}", cluster_id))


def short_name(file: Path) -> str:
    """A file for messages and commands in them: relative to the current directory, if below it."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)
