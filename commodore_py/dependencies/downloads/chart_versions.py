"""Choose chart versions by the constraints of Helm (pure)."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Helm takes 256 characters; beyond that no number has to be made of its digits.
_LONGEST = 256
_SUFFIX = r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
_VERSION = re.compile(rf"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?{_SUFFIX}")
_PART = r"(\d+|[xX*])"
_ONE = re.compile(
    rf"\s*(=|==|!=|>|<|>=|=>|<=|=<|~|~>|\^)?\s*v?{_PART}?(?:\.{_PART})?(?:\.{_PART})?{_SUFFIX}\s*"
)
_BARE = rf"v?{_PART}(?:\.{_PART})?(?:\.{_PART})?{_SUFFIX}"
_RANGE = re.compile(rf"\s*({_BARE})\s+-\s+({_BARE})\s*")
_PIECE = re.compile(rf"(?:=|==|!=|>|<|>=|=>|<=|=<|~|~>|\^)?\s*{_BARE}")
_ALIASES = {None: "~?", "": "~?", "=": "~?", "==": "~?", "=>": ">=", "=<": "<=", "~>": "~"}


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version, parsed leniently; build metadata is ignored."""

    numbers: tuple[int, int, int]
    prerelease: str = ""

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Parse a version; None if it is not one."""
        match = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            return None
        major, minor, patch = (int(part or 0) for part in match.group(1, 2, 3))
        return cls((major, minor, patch), match[4] or "")

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[object, ...]:
        # A prerelease comes before its release; numbers in it come before words.
        parts = [
            (0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in self.prerelease.split(".")
        ]
        return (self.numbers, not self.prerelease, parts if self.prerelease else [])


@dataclass(frozen=True, slots=True)
class _Bound:
    """One comparison of a constraint."""

    operator: str
    version: Version
    given: int
    """How many of the three numbers were given."""

    def allows(self, version: Version) -> bool:
        mine, given = self.version, self.given
        # Prereleases only satisfy constraints that name one.
        if version.prerelease and not mine.prerelease:
            return False
        if self.operator in _OF_WHOLE:
            return _OF_WHOLE[self.operator](version, mine)
        if self.operator in _OF_GIVEN:
            compare = _OF_GIVEN[self.operator]
            if given == _ALL:
                return compare(version, mine)
            return compare(version.numbers[:given], mine.numbers[:given])
        if self.operator == "~?" and given == _ALL:
            return version == mine
        shared = self.shared
        return version >= mine and version.numbers[:shared] == mine.numbers[:shared]

    @property
    def shared(self) -> int:
        """How many numbers a later version has in common with it, for `~` and `^`."""
        numbers, given = self.version.numbers, self.given
        if given == 0:
            return 0
        if self.operator == "^":
            return next((at for at in range(given) if numbers[at]), given - 1) + 1
        return 0 if numbers == (0, 0, 0) and given == _ALL else min(given, 2)


_ALL = 3
# Comparisons of whole versions, and of as many numbers as are given.
_OF_WHOLE: dict[str, Callable[[Any, Any], bool]] = {"<": operator.lt, ">=": operator.ge}
_OF_GIVEN: dict[str, Callable[[Any, Any], bool]] = {
    "!=": operator.ne,
    ">": operator.gt,
    "<=": operator.le,
}


def is_exact(version: str) -> bool:
    """Return whether a version is exact: all three numbers, and no constraint."""
    match = _VERSION.fullmatch(version)
    return match is not None and match[3] is not None


def best(requested: str, available: Iterable[str]) -> str | None:
    """The version that Helm would choose: an exact match, else the highest allowed one."""
    given = list(available)
    if requested and requested in given:
        return requested
    groups = [_group(part) for part in (requested or "*").split("||")]
    parsed = [(version, text) for text in given if (version := Version.parse(text)) is not None]
    fitting = [
        (version, text)
        for version, text in parsed
        if any(all(bound.allows(version) for bound in group) for group in groups)
    ]
    # The first of equal versions, in the order of the index.
    return max(fitting, key=lambda fit: fit[0])[1] if fitting else None


def _group(text: str) -> list[_Bound]:
    spread = _RANGE.fullmatch(text)
    if spread is not None:
        first, _, last = text.partition(" - ")
        return [_bound(f">={first.strip()}"), _bound(f"<={last.strip()}")]
    pieces: list[str] = []
    for part in text.split(","):
        if _ONE.fullmatch(part):
            pieces.append(part)
        else:
            constraints = [match[0] for match in _PIECE.finditer(part)]
            if not constraints or _PIECE.sub("", part).strip():
                raise ValueError(f"{text.strip()} is not a valid version or constraint")
            pieces += constraints
    return [_bound(piece) for piece in pieces]


def _bound(text: str) -> _Bound:
    match = _ONE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"{text.strip()} is not a valid version or constraint")
    numbers: list[int] = []
    for part in match.group(2, 3, 4):
        if part is None or not part.isdigit():
            break
        numbers.append(int(part))
    given = len(numbers)
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    sign = match[1] or ""
    return _Bound(_ALIASES.get(sign, sign), Version((major, minor, patch), match[5] or ""), given)
