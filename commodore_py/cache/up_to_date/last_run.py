"""The note that a run leaves about itself: one small file, used only if all of it is valid."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.model.catalog import (
    BuildRecord,
    Change,
    DependencyRecord,
    DiffLine,
    FileChange,
)
from commodore_py.model.problem import Problem
from commodore_py.model.published import LockUse, Published

from . import note_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.catalog import BundleUse

_SCHEMA = "unchanged/v4"
NAME = "unchanged"
# A run that was killed leaves the first, one whose push was not reported the second.
_UNFINISHED = ("running", "unreported.json")


class LastRun(NamedTuple):
    """A run that succeeded, by what it read, and its outcome."""

    environment: str
    program: str
    """The digest of a snapshot, of our own code."""
    files: str
    """The digest of another, of all that the run reads and writes."""
    cluster: str
    """The digest of the cluster's facts; empty where files hold them."""
    catalog: str
    """Its URL; empty where there is none."""
    outside: list[str]
    """Paths outside of the working directory that count."""
    own_outputs: list[str]
    """Files at the top of the working directory that runs write to for their user."""
    remotes: list[dict[str, Any]]
    downloads: list[dict[str, Any]]
    warnings: list[dict[str, str]]
    repeatable: bool
    """Whether another run would issue the same warnings."""
    outcome: dict[str, Any]
    time: str


def read(folder: Path) -> LastRun | None:
    """The note of the last run; None without a valid one."""
    content = note_file.read(folder / NAME)
    if content is None:
        return None
    try:
        stored = json_text.load(content, name=NAME)
        if stored.pop("schema") != _SCHEMA or stored.keys() != set(LastRun._fields):
            return None
        return LastRun(**stored)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write(folder: Path, run: LastRun) -> None:
    """Note a run. What changes in the catalog may be secret, so the note is for its owner alone."""
    note_file.write(folder / NAME, json.dumps({"schema": _SCHEMA, **run._asdict()}).encode())


def forget(folder: Path) -> None:
    """Remove the note."""
    (folder / NAME).unlink(missing_ok=True)


def outcome_of(published: Published, lines: tuple[DiffLine, ...] | None) -> dict[str, Any]:
    """What is needed to show a result again; after a push, nothing is left to change."""
    change = Change() if published.commit else published.change
    record = published.record._asdict()
    del record["time"]
    return {
        "files": [
            [one.kind, one.path, one.old_path, one.old_mode, one.new_mode] for one in change.files
        ],
        "lines": [[line.text, line.colour] for line in lines] if change and lines else None,
        "ignored": list(change.ignored),
        "record": record,
        "notices": published.notices,
        "bundle": published.change.bundle,
        "lock": [published.lock.file, published.lock.drift] if published.lock else None,
    }


def published_of(outcome: Mapping[str, Any]) -> Published:
    """The result again; ValueError, KeyError or TypeError if that is not a valid one."""
    lines = outcome["lines"]
    change = Change(
        tuple(
            FileChange(kind, path, old_path, old_mode=old_mode, new_mode=new_mode)
            for kind, path, old_path, old_mode, new_mode in outcome["files"]
        ),
        ignored=tuple(outcome["ignored"]),
        lines=None if lines is None else tuple(DiffLine(*line) for line in lines),
        bundle=_bundle_of(*outcome["bundle"]) if outcome["bundle"] else None,
    )
    record = dict(outcome["record"])
    for name in ("global_config", "tenant_config"):
        record[name] = DependencyRecord(*record[name])
    for name in ("instances", "packages"):
        record[name] = tuple(DependencyRecord(*one) for one in record[name])
    return Published(
        change,
        BuildRecord(time=datetime.now().astimezone(), **record),
        notices=tuple(Problem.restored(notice) for notice in outcome["notices"]),
        lock=_lock_of(*outcome["lock"]) if outcome["lock"] else None,
    )


def _lock_of(file: str, drift: list[str]) -> LockUse:
    return LockUse(file, drift=tuple(drift))


def _bundle_of(version: str, name: str, alias: str, where: str, more: list[Any]) -> BundleUse:
    from commodore_py.model.catalog import BundleUse, Deviation

    return BundleUse(version, name, alias, where, tuple(Deviation(*one) for one in more))


@contextmanager
def locked_if_idle(state: Path) -> Iterator[bool]:
    """Lock a working directory, if no run holds the lock and none was interrupted."""
    if any((state / name).exists() for name in _UNFINISHED):
        yield False
        return
    try:
        lock = os.open(state / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)
