"""Where the user's settings and our caches lie."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """Ours below the user's cache; none in an account without a home."""
    return _ours("XDG_CACHE_HOME", ".cache")


def git_cache(cache: Path) -> Path:
    """Where Git objects are kept, below a cache folder."""
    return cache / "git"


def download_cache(cache: Path) -> Path:
    """Where downloads are kept, below a cache folder."""
    return cache / "downloads"


def result_cache(cache: Path) -> Path:
    """Where results are kept by what made them, below a cache folder."""
    return cache / "results"


def caches_in(cache: Path | None) -> dict[str, Path | None]:
    """What Config is told about caches; without a folder there are none."""
    return {
        "git_cache": git_cache(cache) if cache else None,
        "download_cache": download_cache(cache) if cache else None,
        "result_cache": result_cache(cache) if cache else None,
    }


def config_file() -> Path | None:
    """The user's own settings; none in an account without a home."""
    folder = _ours("XDG_CONFIG_HOME", ".config")
    return folder / "config.toml" if folder else None


def _ours(variable: str, below_home: str) -> Path | None:
    named = os.environ.get(variable)
    if named:
        return Path(named) / "commodore"
    try:
        return Path.home() / below_home / "commodore"
    except RuntimeError:  # neither HOME nor an entry for this user: containers do that
        return None
