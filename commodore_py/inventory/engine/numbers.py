"""Scalars as reclass-rs reads them: YAML 1.2 core (pure)."""

from __future__ import annotations

import math
import re

_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INFINITE = {".inf", ".Inf", ".INF"}
_RADIXES = {"0x": 16, "0o": 8, "0b": 2}
_DIGITS = {
    10: re.compile(r"[0-9]+"),
    16: re.compile(r"[0-9a-fA-F]+"),
    8: re.compile(r"[0-7]+"),
    2: re.compile(r"[01]+"),
}
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_MAYBE_SCALAR = re.compile(r"[-+.0-9~ntfNTF]")
_MOST_DIGITS = 128
_BITS_64 = range(-(1 << 63), 1 << 64)
_BITS_128 = range(-(1 << 127), 1 << 128)


class TooLarge(ValueError):
    """An integer that needs more than 64 bits."""


def scalar(text: str) -> str | float | bool | None:
    """The value of a plain scalar."""
    if text in _NULLS:
        return None
    if not _MAYBE_SCALAR.match(text):
        return text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    number = integer(text)
    if number is not None:
        return number
    if _only_digits_after_zero(text):
        return text
    real = floating(text)
    return text if real is None else real


def integer(text: str) -> int | None:
    """The integer that a text means; raises where 64 bits do not hold it, but 128 do."""
    sign, rest = "", text
    if text[:1] in ("+", "-"):
        sign, rest = text[0], text[1:]
    base = _RADIXES.get(rest[:2], 10)
    digits = rest[2:] if base != 10 else rest  # noqa: PLR2004 - the decimal base
    if not _DIGITS[base].fullmatch(digits):
        return None
    if base == 10 and _only_digits_after_zero(text):  # noqa: PLR2004 - the decimal base
        return None
    if len(digits) > _MOST_DIGITS and len(digits.lstrip("0")) > _MOST_DIGITS:
        return None  # more than 128 bits; Python refuses to count thousands of digits
    value = int(digits, base) * (-1 if sign == "-" else 1)
    if value in _BITS_64:
        return value
    if value in _BITS_128:
        raise TooLarge(text)
    # Beyond that reclass-rs does not see an integer: it becomes a float, or stays a string.
    return None


def floating(text: str) -> float | None:
    """The float that a text means."""
    unsigned = text.removeprefix("+")
    if unsigned in _INFINITE:
        return math.inf
    if text in {f"-{name}" for name in _INFINITE}:
        return -math.inf
    if text in {".nan", ".NaN", ".NAN"}:
        return math.nan
    if not _FLOAT.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _only_digits_after_zero(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return len(digits) > 1 and digits[0] == "0" and digits.isascii() and digits.isdigit()
