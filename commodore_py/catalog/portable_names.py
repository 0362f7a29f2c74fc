"""Names of a catalog's files that not every file system takes (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.model.names import shown
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.tree import Tree

_MOST_SHOWN = 10
# Windows takes these for devices, whatever follows a dot, and drops dots and spaces at the end.
_DEVICES = ("aux", "con", "nul", "prn")
_NOT_ON_WINDOWS = re.compile(
    r"\\|[. ](?:/|$)|(?:^|/)(?:aux|con|nul|prn|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:[. /]|$)",
    re.IGNORECASE,
)
_SIGNS: tuple[str, ...] = (
    *("\\", "./", " /", ".\n", " \n"),
    *(f"/{name}{end}" for name in _DEVICES for end in "./ \n"),
)
_PORTS = re.compile(r"/(?:com|lpt)[0-9\u00b9\u00b2\u00b3][. /\n]")


def names_problem(catalog: Tree) -> tuple[Problem, ...]:
    """A problem if files of the catalog have names that Windows does not take."""
    found = not_on_windows(map(str, catalog))
    if not found:
        return ()
    more = f" and {len(found) - 1} more" if found[1:] else ""
    return (
        Problem(
            f"{shown(found[0], quoted=True)}{more} cannot be checked out on Windows: a backslash, a"
            " name of a device such as con, or a dot or space at the end",
            where="\n".join(shown(one, quoted=True) for one in found[:_MOST_SHOWN]),
            strict=True,
            code="files/not-portable",
            remedy="choose another output path or key",
        ),
    )


def not_on_windows(paths: Iterable[str]) -> list[str]:
    """The paths that cannot be files of a checkout on Windows, or are others there."""
    paths = list(paths)
    # Nearly always there is none: to find that out must not take long.
    text = "".join(f"/{path}\n" for path in paths).lower()
    if not any(sign in text for sign in _SIGNS) and not _PORTS.search(text):
        return []
    return [path for path in paths if _NOT_ON_WINDOWS.search(path)]
