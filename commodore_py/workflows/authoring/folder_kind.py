"""Whether a folder holds a component or a package, for errors about the wrong one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError, UsageError

from .templates.record import NoRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Kind = Literal["component", "package"]

_OTHER: dict[Kind, Kind] = {"component": "package", "package": "component"}
_BEGINNINGS = {"package-": "package", "pkg.": "package", "component-": "component"}
_LISTS_COMPONENTS = re.compile(r"^ +components:", re.MULTILINE)


def other_kind_error(folder: Path, wanted: Kind) -> CommodoreError | None:
    """The error for a component that is used as a package, or the reverse."""
    other = _OTHER[wanted]
    if _kind_of(folder) != other:
        return None
    return CommodoreError(
        f"this is a {other}, not a {wanted}",
        where=str(folder),
        hint=f"for {other}s there are `commodore {other} test` and `commodore {other} compile`",
    )


def empty_folder_error(folder: Path) -> CommodoreError | None:
    """The error for a folder that holds neither."""
    if _kind_of(folder):
        return None
    checkouts = folder / "dependencies"
    hint = (
        f"this is a working directory; checkouts lie in {checkouts}"
        if checkouts.is_dir()
        else "change to the folder of one, or name it; `commodore component new` makes one"
    )
    return UsageError(
        "there is neither a component nor a package here", where=str(folder), hint=hint
    )


def _kind_of(folder: Path) -> str:
    # Every component has this file, and no package needs it.
    if (folder / "class" / "defaults.yml").is_file():
        return "component"
    return next(_signs(folder), "")


def _signs(folder: Path) -> Iterator[str]:
    try:
        template = Record.read(folder).template.rstrip("/").rpartition("/")[2]
        yield from (kind for kind in _OTHER if kind in template)
    except NoRecord:
        pass
    yield from (kind for begin, kind in _BEGINNINGS.items() if folder.name.startswith(begin))
    if (folder / "component").is_dir():
        yield "component"
    for file in (*folder.glob("*.yml"), *folder.glob("tests/*.yml")):
        try:
            if _LISTS_COMPONENTS.search(bytes_of(str(file)).decode(errors="replace")):
                yield "package"
        except OSError:
            continue
