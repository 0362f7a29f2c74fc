"""The file that an annotation names: that of the job's checkout, where the runner looks for it."""

from __future__ import annotations

import filecmp
import os
from pathlib import Path


def path_in_job(file: str) -> str:
    """A path relative to the checkout of the job, if that has the file too; else as it is.

    A job compiles in a working directory of its own, with checkouts of what it compiles: the file
    `inventory/classes/<tenant>/common.yml` there is `common.yml` of the tenant's repository.
    """
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        return file
    full, found = Path(file).absolute(), file
    for start in range(1, len(full.parts)):
        inside = Path(*full.parts[start:])
        if _has_same_content(full, workspace / inside):
            found = str(inside)
            if not full.samefile(workspace / inside):  # the working directory may be in there
                break
    return found


def _has_same_content(one: Path, other: Path) -> bool:
    try:
        return other.is_file() and filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False
