"""Choose chart versions by the constraints of Helm (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING

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
        # Prereleases only satisfy constraints that name one.
        if version.prerelease and not self.version.prerelease:
            return False
        return _OPERATORS[self.operator](self, version)

    def tilde(self, version: Version) -> bool:
        if version < self.version:
            return False
        if self.given == 0 or (self.version.numbers == (0, 0, 0) and self.given == 3):  # noqa: PLR2004 - all of them
            return True
        shared = 1 if self.given == 1 else 2
        return version.numbers[:shared] == self.version.numbers[:shared]

    def equal(self, version: Version) -> bool:
        return version == self.version if self.given == 3 else self.tilde(version)  # noqa: PLR2004 - as above

    def unequal(self, version: Version) -> bool:
        return version.numbers[: self.given] != self.version.numbers[: self.given] or (
            self.given == 3 and version != self.version  # noqa: PLR2004 - as above
        )

    def above(self, version: Version) -> bool:
        if self.given == 3:  # noqa: PLR2004 - as above
            return version > self.version
        return version.numbers[: self.given] > self.version.numbers[: self.given]

    def at_most(self, version: Version) -> bool:
        if self.given == 3:  # noqa: PLR2004 - as above
            return version <= self.version
        return version.numbers[: self.given] <= self.version.numbers[: self.given]

    def caret(self, version: Version) -> bool:
        if version < self.version:
            return False
        mine = self.version.numbers
        fixed = next((at for at in range(self.given) if mine[at]), max(self.given - 1, 0))
        shared = fixed + 1 if self.given else 0
        return version.numbers[:shared] == mine[:shared]


_OPERATORS: dict[str, Callable[[_Bound, Version], bool]] = {
    "~?": _Bound.equal,
    "!=": _Bound.unequal,
    ">": _Bound.above,
    "<": lambda bound, version: version < bound.version,
    ">=": lambda bound, version: version >= bound.version,
    "<=": _Bound.at_most,
    "~": _Bound.tilde,
    "^": _Bound.caret,
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
    operator = match[1] or ""
    return _Bound(
        _ALIASES.get(operator, operator), Version((major, minor, patch), match[5] or ""), given
    )
