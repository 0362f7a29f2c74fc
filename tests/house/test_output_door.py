"""Everything is printed by one module, which masks and escapes it."""

from __future__ import annotations

import re
from pathlib import Path

import commodore_py

ROOT = Path(commodore_py.__file__).parent
DOOR = "cli/output/streams.py"
PRINTS = re.compile(
    r"\bclick\.(?:echo|secho|echo_via_pager)\(|(?<![\w.])print\("
    r"|\bsys\.(?:stdout|stderr)\.(?:buffer\.)?write\("
)
EXEMPT = {
    "adapters/process.py",  # what a program printed, masked and escaped there
    "cli/output/progress.py",  # the cursor of the progress line
}


def test_only_one_module_prints() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "lib" not in path.relative_to(ROOT).parts and PRINTS.search(path.read_text("utf-8"))
    }

    assert DOOR in found
    assert found - EXEMPT == {DOOR}
