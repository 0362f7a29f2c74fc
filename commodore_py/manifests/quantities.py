"""Kubernetes' quantities, as numbers (pure)."""

from __future__ import annotations

import re
from fractions import Fraction

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE]))?")
_FACTORS = {
    **{f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
    **{letter: Fraction(1000) ** power for power, letter in enumerate("kMGTPE", 1)},
    **{letter: Fraction(1, 1000) ** power for power, letter in enumerate("mun", 1)},
}


def parse(value: object) -> Fraction | None:
    """The number that a quantity such as `10Gi` stands for, or None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    found = _QUANTITY.fullmatch(str(value))
    if found is None:
        return None
    number, exponent, suffix = found.groups()
    power = Fraction(10) ** int(exponent[1:]) if exponent else Fraction(1)
    return Fraction(number) * power * _FACTORS.get(suffix or "", Fraction(1))
