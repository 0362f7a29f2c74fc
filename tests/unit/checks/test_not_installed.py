"""Without the extra, what needs it is skipped, and says how to get it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys

from commodore_py.checks.base import Settings
from commodore_py.checks.run import check_catalog
sys.path[:] = [one for one in sys.path if "site-packages" not in one]
found = check_catalog({}, Settings())
print(*(f"{one.name} {one.outcome} {one.reason}" for one in found.runs), sep="\\n")
"""


def test_checks_without_their_libraries_are_skipped() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )

    skipped = [
        line for line in done.stdout.splitlines() if "install commodore-py with the extra" in line
    ]
    assert [line.split()[:2] for line in skipped] == [
        ["kubernetes-schema", "skipped"],
        ["custom-resources", "skipped"],
    ]
