"""Whether two folders hold the same files: figures count only if they do."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def differing(one: Path, other: Path) -> list[str]:
    """Files that only one of them has, or whose bytes differ; Git's own are left out."""
    names = [set(_files_in(folder)) for folder in (one, other)]
    both = names[0] & names[1]
    changed = {name for name in both if (one / name).read_bytes() != (other / name).read_bytes()}
    return sorted((names[0] ^ names[1]) | changed)


def _files_in(folder: Path) -> list[str]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        found += [os.path.relpath(Path(parent, name), folder) for name in names]
    if not found:
        sys.exit(f"there is nothing in {folder}")
    return found
