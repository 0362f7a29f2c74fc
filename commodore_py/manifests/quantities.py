"""Parse Kubernetes quantities (pure)."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE]))?")


def parse(value: object) -> Fraction | None:
    """The number of a quantity such as `10Gi`, or None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return _parsed(str(value))


@lru_cache(maxsize=1024)  # a catalog has few of them, many times
def _parsed(text: str) -> Fraction | None:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    from fractions import Fraction  # slow, and rarely needed

    number, exponent, suffix = match.groups()
    power = Fraction(10) ** int(exponent[1:]) if exponent else Fraction(1)
    return Fraction(number) * power * _factors().get(suffix or "", Fraction(1))


@cache
def _factors() -> dict[str, Fraction]:
    from fractions import Fraction

    return {
        **{f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
        **{letter: Fraction(1000) ** power for power, letter in enumerate("kMGTPE", 1)},
        **{letter: Fraction(1, 1000) ** power for power, letter in enumerate("mun", 1)},
    }
