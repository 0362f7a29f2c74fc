"""Write the tables of modules into the pages of the rooms: `python -m tests.house.room_pages`.

A row is the first line of a module's docstring.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from tests.house.code_map import PACKAGE, ROOT, modules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = ROOT / "docs" / "explanation" / "rooms"
BEGIN, END = "<!-- modules -->", "<!-- end of modules -->"


def main() -> int:
    """Rewrite the tables of all pages."""
    for page in pages():
        page.write_text(with_table(page), "utf-8")
    return 0


def pages() -> list[Path]:
    """The pages that have a table."""
    return [page for page in sorted(PAGES.glob("*.md")) if BEGIN in page.read_text("utf-8")]


def with_table(page: Path) -> str:
    """A page with its table as the code is now."""
    table = "\n".join(_table(page.stem))
    return re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}",
        lambda _: f"{BEGIN}\n\n{table}\n\n{END}",
        page.read_text("utf-8"),
        flags=re.DOTALL,
    )


def _table(room: str) -> Iterator[str]:
    yield from ("| module | knows |", "|---|---|")
    start = f"{PACKAGE}.{room}"
    for name, module in sorted(modules().items()):
        if name == start or not f"{name}.".startswith(f"{start}."):
            continue
        path = name.removeprefix(f"{start}.").replace(".", "/")
        shown = f"**`{path}/`**" if module.is_package else f"`{path}`"
        yield f"| {shown} | {module.summary.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    sys.exit(main())
