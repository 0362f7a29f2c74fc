"""Find running Git processes by their working directories."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

log = logging.getLogger(__name__)

_PROCESSES = Path("/proc")
_PAUSE = 0.1


def wait_until_idle(places: Collection[Path], *, patience: float) -> None:
    """Wait while a git program works in these folders or below; give up after a while."""
    wanted = {os.path.realpath(place) for place in places}
    deadline = time.monotonic() + patience
    while busy := _working_in(wanted):
        if time.monotonic() > deadline:
            numbers, folders = zip(*sorted(busy.items()), strict=True)
            raise CommodoreError(
                "an earlier run was ended, but git is still running:"
                f" process {', '.join(map(str, numbers))}",
                where=", ".join(sorted(set(folders))),
                hint="wait for it, or end it; then compile again",
            )
        time.sleep(_PAUSE)


def _working_in(places: Collection[str]) -> dict[int, str]:
    if not places:
        return {}
    return {
        number: folder
        for number, folder in (_from_proc() if _PROCESSES.is_dir() else _from_lsof())
        if any(folder == place or folder.startswith(f"{place}/") for place in places)
    }


def _from_proc() -> Iterator[tuple[int, str]]:
    for process in _PROCESSES.iterdir():
        try:
            if process.name.isdigit() and (process / "comm").read_text().startswith("git"):
                yield int(process.name), str((process / "cwd").readlink())
        except OSError:
            continue  # it ended meanwhile, or is another user's


def _from_lsof() -> Iterator[tuple[int, str]]:
    try:
        listing = run(["lsof", "-w", "-a", "-c", "git", "-d", "cwd", "-Fpn"])
    except ProgramFailed as error:
        if error.code != 1:  # 1 if there are none
            log.debug("cannot list git processes: %s", error)
        return
    number = 0
    for line in os.fsdecode(listing).splitlines():
        if line.startswith("p"):
            number = int(line[1:])
        elif line.startswith("n"):
            yield number, line[1:]
