"""The locked requirements: what is installed to run commodore, by hash."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LOCKED = ROOT / "requirements" / "runtime.txt"

_PINNED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>.*?))? \\$")
_HASH = re.compile(r"--hash=(\w+):([0-9a-f]+)")


class Requirement(NamedTuple):
    """A package in the one version that is installed."""

    name: str
    version: str
    marker: str
    hashes: tuple[tuple[str, str], ...]


def read(file: Path = LOCKED) -> tuple[Requirement, ...]:
    """Every requirement of a locked file; a ValueError for a line that is not one."""
    found: list[Requirement] = []
    for line in file.read_text("utf-8").splitlines():
        if pinned := _PINNED.match(line):
            found.append(Requirement(pinned["name"], pinned["version"], pinned["marker"] or "", ()))
        elif hashed := _HASH.search(line):
            found[-1] = found[-1]._replace(hashes=(*found[-1].hashes, (hashed[1], hashed[2])))
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{file.name}: not a pinned requirement: {line}")
    return tuple(found)


def licence_of(name: str) -> str | None:
    """What an installed package says about its licence; None if it is not installed here."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [
        one.rpartition(" :: ")[2]
        for one in about.get_all("Classifier") or ()
        if "License ::" in one
    ]
    fields = about.json
    own = str(fields.get("license") or "").strip()
    named = own if own and own != "UNKNOWN" and "\n" not in own else ""
    return str(fields.get("license_expression") or "") or named or " OR ".join(classifiers)
