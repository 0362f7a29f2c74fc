"""Files of values that become classes under their own names."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

log = logging.getLogger(__name__)

_SUFFIXES = (".yml", ".yaml")
_INIT = "init"  # the name of a folder's own class


def classes_of(
    files: Iterable[Path],
) -> tuple[tuple[tuple[str, Path], ...], list[CommodoreError]]:
    """Class name and file of each, in their order, and what is wrong with the others.

    Of two with one name the last counts, as it is linked over the other.
    """
    classes: dict[str, Path] = {}
    errors: list[CommodoreError] = []
    for file in files:
        path = file.resolve()
        problem = ""
        if path.suffix not in _SUFFIXES:
            problem = "a file of values must end in .yml or .yaml to be a class"
        elif path.stem == _INIT:
            problem = f"a file of values cannot be called {path.name}: that is its folder's class"
        if problem:
            errors.append(CommodoreError(problem, where=str(file), hint="rename it"))
            continue
        if classes.get(path.stem, path) != path:
            log.warning(
                "two files of values would be class %s: only the last counts",
                path.stem,
                extra={"where": f"{classes[path.stem]}, {path}", "hint": "rename one of them"},
            )
        classes[path.stem] = path
    return tuple(classes.items()), errors
