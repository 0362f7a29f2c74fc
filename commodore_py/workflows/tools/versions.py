"""Versions of tools: found in what programs print, and compared as versions, not as texts."""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"(?<![\w.])v?(?P<core>\d+\.\d+\.\d+)(?!\.?\d)(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)

Precedence = tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]


def normalised(text: str) -> str | None:
    """A version with its leading `v`; None when the text is none."""
    found = _VERSION.fullmatch(text)
    return f"v{text.removeprefix('v')}" if found else None


def version_in(output: str) -> str | None:
    """The first version that a program names; it may print warnings around it."""
    found = _VERSION.search(output)
    return f"v{found[0].removeprefix('v')}" if found else None


def precedence(version: str) -> Precedence:
    """What to sort versions by, as https://semver.org says: a pre-release before its release."""
    found = _VERSION.fullmatch(version)
    if not found:
        raise ValueError(f"not a version: {version}")
    core = tuple(int(number) for number in found["core"].split("."))
    parts = found["pre"].split(".") if found["pre"] else []
    return core, not parts, tuple(_identifier(part) for part in parts)


def upgrade_available(installed: str, latest: str) -> bool:
    """Whether the latest version is newer than the one that a program says it has."""
    present = version_in(installed)
    if present is None or normalised(latest) is None:
        return installed.removeprefix("v") != latest.removeprefix("v")
    return precedence(latest) > precedence(present)


def _identifier(part: str) -> tuple[bool, int, str]:
    return (False, int(part), "") if part.isdigit() else (True, 0, part)
