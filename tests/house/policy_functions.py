"""The lists on the page about functions of policies: `python -m tests.house.policy_functions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.checks.policy.builtins import FORBIDDEN, MISSING, SUPPORTED
from tests.house.code_map import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = ROOT / "docs" / "reference" / "policy-functions.md"
LISTS = {
    "Refused with every engine: ": (FORBIDDEN, "."),
    "These functions of OPA are missing": (MISSING, ""),
    "These are there:": (SUPPORTED, ""),
}


def page() -> str:
    """The page, with the lists of now."""
    blocks = PAGE.read_text("utf-8").split("\n\n")
    for at, block in enumerate(blocks):
        for start, (names, end) in LISTS.items():
            if not block.startswith(start):
                continue
            if end:
                blocks[at] = f"{start}{_listed(names)}{end}"
            else:
                blocks[at + 1] = _listed(names)
    return "\n\n".join(blocks)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
