"""The order of bundle versions: as semantic versions, by the calendar, or as listed (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from commodore_py.dependencies.downloads.chart_versions import Version, is_exact

if TYPE_CHECKING:
    from collections.abc import Iterable

Order: TypeAlias = Literal["semver", "calver", "listed"]
ORDERS: tuple[str, ...] = get_args(Order)

_SEPARATORS = re.compile(r"[.\-_]")
_CENTURY = 100
_MILLENNIUM = 2000


def problem_of(version: str, order: Order) -> str:
    """Why a version cannot be ordered; empty if it can."""
    if order == "semver" and not is_exact(version):
        return "is not a semantic version, such as 1.4.0"
    if order == "calver" and not version[:1].isdigit():
        return "does not begin with a year, such as 2026.11.1"
    return ""


def key_of(version: str, order: Order) -> tuple[object, ...]:
    """Sorts versions of the same order; equal for versions that are equal."""
    if order == "semver":
        parsed = Version.parse(version)
        return () if parsed is None else (parsed,)
    return _by_calendar(version)


def in_order(versions: Iterable[str], order: Order) -> list[str]:
    """Versions from the oldest to the newest; as they are, if they are listed."""
    listed = list(versions)
    return (
        listed if order == "listed" else sorted(listed, key=lambda version: key_of(version, order))
    )


def _by_calendar(version: str) -> tuple[object, ...]:
    numbers: list[int] = []
    fields = _SEPARATORS.split(version)
    rest: list[str] = []
    for at, field in enumerate(fields):
        if not field.isdigit():
            rest = fields[at:]
            break
        numbers.append(int(field))
    if numbers and numbers[0] < _CENTURY:
        numbers[0] += _MILLENNIUM
    while numbers and numbers[-1] == 0:
        numbers.pop()
    # A pre-release comes before its release; numbers in it come before words.
    words = [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in rest]
    return (numbers, not rest, words)
