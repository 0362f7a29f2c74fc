"""What `vendor/` and its lock hold, for comparison."""

from __future__ import annotations

import os
from pathlib import Path


def lock(work: Path) -> str:
    """The lock as it is written."""
    return (work / "jsonnetfile.lock.json").read_text()


def reachable(work: Path) -> dict[str, tuple[bytes, bool]]:
    """Everything that can be imported, links followed; bytes and whether it is executable."""
    found: dict[str, tuple[bytes, bool]] = {}
    vendor = work / "vendor"
    for parent, folders, names in os.walk(vendor, followlinks=True):
        folders[:] = [name for name in folders if name not in (".cache", ".git")]
        found[str(Path(parent).relative_to(vendor))] = (b"", True)
        for name in names:
            path = Path(parent, name)
            content = (path.read_bytes(), os.access(path, os.X_OK))
            found[str(path.relative_to(vendor))] = content
    return found


def links(work: Path) -> dict[str, str]:
    """Each link, and what it finally leads to."""
    vendor = work / "vendor"
    found = {}
    for parent, folders, names in os.walk(vendor):
        folders[:] = [name for name in folders if name != ".cache"]
        for name in (*folders, *names):
            path = Path(parent, name)
            if path.is_symlink():
                found[str(path.relative_to(vendor))] = str(path.resolve().relative_to(work))
    return found
