"""The places of the working directory that a compile replaces: ours, and not links to others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths

_SHOWN = 5
_REPLACED = ("targets", "classes/components", "classes/defaults")
_OUR_LIBRARIES = '"dependencies/'


def refuse_links(paths: WorkPaths) -> None:
    """An error where a link is in the place of our own: other folders would be written to."""
    raise_collected(
        (
            CommodoreError(
                f"{link} is a link, but a compile replaces what is there",
                where=f"{link} -> {link.readlink()}",
                hint="remove the link, or use another folder with --working-dir",
            )
            for link in _links(paths)
        ),
        "links in the place of our own files",
    )


def _links(paths: WorkPaths) -> Iterator[Path]:
    inventory = paths.inventory
    classes = inventory / "classes"
    ours = (inventory, classes, classes / "params", *(inventory / name for name in _REPLACED))
    for place in (paths.state, paths.compiled, *ours):
        if place.is_symlink():
            yield place
    if paths.state.is_dir() and not paths.state.is_symlink():
        with os.scandir(paths.state) as entries:
            for entry in entries:
                if entry.is_symlink():
                    yield paths.state / entry.name


def refuse_foreign_folder(paths: WorkPaths) -> None:
    """An error where the first compile would remove or overwrite files that no compile wrote."""
    refuse_links(paths)
    if paths.state.is_dir() or paths.params_file.is_file():
        return  # our working directory, or Commodore's
    foreign = sorted(str(path.relative_to(paths.root)) for path in _in_the_way(paths))
    if foreign:
        more = f" and {len(foreign) - _SHOWN} more" if foreign[_SHOWN:] else ""
        raise CommodoreError(
            "a compile would remove or overwrite files here that no compile wrote:"
            f" {', '.join(foreign[:_SHOWN])}{more}",
            where=str(paths.root),
            hint="use an empty folder with --working-dir, move the files away, or use --force",
        )


def _in_the_way(paths: WorkPaths) -> Iterator[Path]:
    yield from _entries(paths.compiled)
    for name in _REPLACED:
        yield from _entries(paths.inventory / name)
    file = paths.jsonnetfile
    if file.is_file() and _OUR_LIBRARIES not in file.read_text(errors="replace"):
        yield file
        lock = file.with_suffix(".lock.json")
        if lock.is_file():
            yield lock


def _entries(folder: Path) -> list[Path]:
    return (
        [path for path in folder.iterdir() if path.is_file() or path.is_dir()]
        if folder.is_dir()
        else []
    )
