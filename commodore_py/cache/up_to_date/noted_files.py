"""Whether files are as they were noted, by one look at each: less than half the work of a snapshot.

A folder whose own times are the same has the same names, so it is not listed. Where anything
differs, a snapshot decides. With `COMMODORE_TUNING=off`, nothing is noted.
"""

from __future__ import annotations

import json
import marshal
import os
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from commodore_py import tuning
from commodore_py.adapters import json_text
from commodore_py.cache.digests import BY_VALUE
from commodore_py.tuning.blake2 import blake2b

from . import note_file
from .snapshot import OUTSIDE, is_young, outside_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .last_run import LastRun
    from .snapshot import Row, Snapshot

NAME = "unchanged-files"
_SCHEMA = "files/v1"
_signs_of = attrgetter("st_mode", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
"""Of all but folders, as in the rows of a snapshot, after the name."""
_SIGNS = 5
# What was edited last is often edited next: it is looked at first, and may end the comparison.
_AT_ONCE = 256
_SEPARATOR = b"\0"


def note(state: Path, of: LastRun, run: Snapshot, program: Snapshot, began: int) -> None:
    """Note what was seen, since a moment, of the files that the note of a run is about.

    Nothing is noted where a change could hide behind the same times.
    """
    if not tuning.enabled():
        return
    device, here = os.stat(state).st_dev, f"{os.getcwd()}/"
    seen: dict[str, Row] = {}
    outside: dict[str, Row] = {}
    for folder, rows in (program.folders | run.folders).items():
        if folder.startswith(OUTSIDE):
            outside[folder.removeprefix(OUTSIDE)] = rows[0]
            continue
        inside = [f"{folder}/{row[0]}" for row in rows if len(row) <= _SIGNS]
        for path in (folder, *inside):
            found = os.lstat(path)
            # The program is on another device where it is in the image of a container.
            if is_young(found, began) or (folder in run.folders and found.st_dev != device):
                return
            seen[path] = _signs_of(found)
        for row in rows:
            if len(row) > _SIGNS:
                seen[f"{folder}/{row[0]}"] = row[1 : _SIGNS + 1]
    latest = sorted(seen, key=lambda path: (seen[path][-1], path), reverse=True)
    # From the current directory, most paths are much shorter.
    paths = [os.fsencode(path.removeprefix(here)) for path in latest]
    head = {
        "of": key(of, run.ignored),
        "outside": [*outside],
        "are": _digest([*outside.values()]),
        "parts": [_digest(part) for part in _parts([seen[path] for path in latest])],
    }
    file = state / NAME
    note_file.write(file, json.dumps(head).encode() + b"\n" + _SEPARATOR.join(paths))
    if os.stat(state).st_mtime_ns < os.stat(file).st_mtime_ns:
        file.unlink()  # times of folders say nothing in this file system


def are_as_noted(state: Path, of: LastRun, ignored: Iterable[str]) -> bool:
    """Whether the files that the note of a run is about are certainly the same now."""
    content = note_file.read(state / NAME) if tuning.enabled() else None
    if content is None:
        return False
    text, _, rest = content.partition(b"\n")
    try:
        head = json_text.load(text, name=NAME)
        if head["of"] != key(of, ignored):
            return False
        if head["are"] != _digest([outside_row(path) for path in head["outside"]]):
            return False
        parts = zip(_parts(rest.split(_SEPARATOR)), head["parts"], strict=True)
        return all(_digest([*map(_signs_of, map(os.lstat, part))]) == then for part, then in parts)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _parts(values: list[Any]) -> Iterator[list[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))


def key(of: LastRun, ignored: Iterable[str]) -> str:
    """What the files are about: a run, without the files that did not count for it."""
    # The current directory is a part of the environment.
    return _digest([_SCHEMA, of.environment, of.program, of.files, *sorted(ignored)])


def _digest(values: list[Any]) -> str:
    return blake2b(marshal.dumps(values, BY_VALUE), digest_size=20).hexdigest()
