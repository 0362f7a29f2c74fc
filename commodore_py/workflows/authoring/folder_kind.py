"""Errors about folders that hold a component instead of a package, or the reverse."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError, UsageError

from .templates.record import NoRecord, Record

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["component", "package"]

_OTHER: dict[Kind, Kind] = {"component": "package", "package": "component"}


def other_kind_error(folder: Path, expected: Kind) -> CommodoreError | None:
    """The error for a component that is used as a package, or the reverse."""
    other = _OTHER[expected]
    if _kind_of(folder) != other:
        return None
    return CommodoreError(
        f"this is a {other}, not a {expected}",
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
    # Every component has one of these, and no package needs them.
    if (folder / "class" / "defaults.yml").is_file() or (folder / "component").is_dir():
        return "component"
    template = ""
    with suppress(NoRecord):
        template = Record.read(folder).template.rpartition("/")[2]
    if "component" in template or folder.name.startswith("component-"):
        return "component"
    files = (*folder.glob("*.yml"), *folder.glob("tests/*.yml"))
    named = "package" in template or folder.name.startswith(("package-", "pkg."))
    return "package" if named or any(map(_lists_components, files)) else ""


def _lists_components(file: Path) -> bool:
    with suppress(OSError):
        return re.search(rb"^ +components:", bytes_of(str(file)), re.MULTILINE) is not None
    return False
