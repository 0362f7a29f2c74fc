"""The note that a run leaves about itself: one small file, believed only if all of it is right."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.model.fields import field_names, field_values

if TYPE_CHECKING:
    from pathlib import Path

_SCHEMA = "unchanged/v1"
_NAME = "unchanged"
_DIGEST = 40


@dataclass(frozen=True, slots=True)
class State:
    """A run that went well, by what it saw, and how it ended."""

    surroundings: str
    look: str
    cluster: str
    """What was known about the cluster; empty where files tell it."""
    catalog: str
    """Its URL; empty where there is none."""
    outside: list[str]
    """Paths outside of the working directory that count."""
    told_to: list[str]
    """Files at the top of the working directory that runs were told to, which do not count."""
    remotes: list[dict[str, Any]]
    downloads: list[dict[str, Any]]
    warnings: list[dict[str, str]]
    lasting: bool
    """Whether the warnings are known to come each time."""
    outcome: dict[str, Any]
    time: str


def file_in(folder: Path) -> Path:
    """Where the note is."""
    return folder / _NAME


def read(folder: Path) -> State | None:
    """What the last run noted; None where there is nothing that can be believed."""
    try:
        digest, _, content = file_in(folder).read_bytes().partition(b"\n")
        if digest.decode() != _digest(content):
            return None
        told = json.loads(content)
        if told.pop("schema") != _SCHEMA or told.keys() != set(field_names(State)):
            return None
        return State(**told)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(folder: Path, state: State) -> None:
    """Note a run; whoever may not write finds no note next time."""
    content = json.dumps({"schema": _SCHEMA, **field_values(state)}, default=field_values).encode()
    aside = folder / f"{_NAME}-{os.getpid()}"
    with suppress(OSError):
        # What changes in the catalog may be secret.
        with open(aside, "wb", opener=_private) as file:
            file.write(_digest(content).encode() + b"\n" + content)
        aside.replace(file_in(folder))


def forget(folder: Path) -> None:
    """Nothing is known any more."""
    file_in(folder).unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_TRUNC, 0o600)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST // 2).hexdigest()
