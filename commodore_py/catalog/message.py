"""Read back the commit message of a catalog: what it was made of (pure)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_ENTRY = re.compile(
    r" \* (?P<name>\S+)(?: \((?P<component>\S+)\))?:"
    r" (?P<version>.*) \((?P<commit>[0-9a-f]{4,64})\)\n"
    r"   url: (?P<url>.+)(?:\n   path: (?P<path>.+))?"
)
_SECTION = re.compile(r"^(Component instance|Package|Configuration) commits:$", re.MULTILINE)
_TIME = re.compile(r"^Compilation timestamp: (\S+)$", re.MULTILINE)


class MessageEntry(NamedTuple):
    """A repository that a catalog was made of."""

    section: str
    """`Component instance`, `Package` or `Configuration`."""
    name: str
    component: str
    """Of an instance."""
    version: str
    short_commit: str
    url: str
    path: str


class Message(NamedTuple):
    """What a commit message says."""

    time: datetime
    entries: tuple[MessageEntry, ...]


def parse_message(text: str) -> Message | None:
    """The content of a message that `record.commit_message` made; None for any other."""
    stamp = _TIME.search(text)
    parts = _SECTION.split(text)
    titles, bodies = parts[1::2], parts[2::2]
    if stamp is None or "Configuration" not in titles:
        return None
    try:
        time = datetime.fromisoformat(stamp[1])
    except ValueError:
        return None
    entries = [
        MessageEntry(
            title,
            found["name"],
            found["component"] or found["name"],
            found["version"],
            found["commit"],
            found["url"],
            found["path"] or "",
        )
        for title, body in zip(titles, bodies, strict=True)
        for found in _ENTRY.finditer(body)
    ]
    if {one.name for one in entries if one.section == "Configuration"} != {"global", "tenant"}:
        return None
    return Message(time, tuple(entries))
