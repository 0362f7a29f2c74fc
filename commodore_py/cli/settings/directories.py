"""Where the user's settings and caches are: as Commodore has them, on macOS, too."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from commodore_py.config import user_folder

if TYPE_CHECKING:
    from pathlib import Path

_GENERATED = ("inventory", "dependencies", "vendor", "compiled", "catalog", ".commodore")
_BESIDE = ("facts", "repos", "locks", "clusters")
"""What `init`, locks and compiles of several clusters have in a working directory."""


def cache_folder() -> Path | None:
    """The folder of caches; None without a home directory."""
    return user_folder("XDG_CACHE_HOME", ".cache")


def tools_folder() -> Path | None:
    """The folder of managed tools; None without a home directory."""
    cache = cache_folder()
    return cache / "tools" if cache else None


def not_own(folder: Path) -> Path | None:
    """The folder, or a file in it, if another user owns it or may write to it."""
    try:
        places = [folder, *folder.iterdir()] if folder.is_dir() else []
        for place in places:
            for status in (place.lstat(), place.stat()):
                if status.st_uid != os.geteuid() or (
                    not stat.S_ISLNK(status.st_mode) and status.st_mode & stat.S_IWOTH
                ):
                    return place
    except OSError:  # a broken link, or a folder that cannot be read
        return folder
    return None


def caches_in(cache: Path) -> dict[str, Path]:
    """The caches by their names in Config."""
    return {
        "git_cache": cache / "git",
        "download_cache": cache / "downloads",
        "result_cache": cache / "results",
    }


def caches() -> dict[str, Path]:
    """The user's caches; none without a home directory."""
    folder = cache_folder()
    return caches_in(folder) if folder else {}


def config_file() -> Path | None:
    """The settings file; None without a home directory."""
    folder = user_folder("XDG_CONFIG_HOME", ".config")
    return folder / "config.toml" if folder else None


def working_directory_around(folder: Path) -> Path | None:
    """The working directory of which a folder is a part, such as a checkout or its facts."""
    for parent in folder.parents:
        part = folder.relative_to(parent).parts[0]
        if part in (*_GENERATED, *_BESIDE) and _is_working_directory(parent):
            # Below `clusters` are working directories of their own.
            return None if part in _BESIDE and _is_working_directory(folder) else parent
    return None


def _is_working_directory(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in ("inventory/classes", "dependencies"))
