"""Values inside strings, as reclass-rs writes them (pure)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .values import Map, OddKey, ResolveError, Sequence, Token, Value, kind_of

if TYPE_CHECKING:
    from collections.abc import Hashable


def as_text(value: Value) -> str:
    """A value inside a string, as reclass-rs writes it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return "null"
    if kind is bool:
        return str(value)
    if kind in (int, float):
        return number_text(value)
    return _json_text(value)


def _json_text(value: Value) -> str:
    kind = type(value)
    if kind is Map:
        # Keys that are equal as strings, such as 1 and "1", become one.
        pairs = {_json_key(key): _json_text(child) for key, child in value.items.items()}
        texts = (f"{json.dumps(key, ensure_ascii=False)}:{pairs[key]}" for key in sorted(pairs))
        return "{" + ",".join(texts) + "}"
    if kind is list or kind is Sequence:
        items = value.items if kind is Sequence else value
        return "[" + ",".join(_json_text(item) for item in items) + "]"
    if value is None or kind is bool:
        return json.dumps(value)
    if kind in (int, float):
        if math.isfinite(value):
            return json_number(value)
        return json.dumps(number_text(value))
    if kind is str or kind is Token:
        # Inside a mapping or list, references stay as written.
        return json.dumps(value if kind is str else value.text, ensure_ascii=False)
    raise ResolveError(f"{kind_of(value)} cannot be part of a string")


def _json_key(key: Hashable) -> str:
    if key is None:
        return "null"
    if isinstance(key, OddKey):
        return str(key).lower() if isinstance(key.value, bool) else number_text(key.value)
    return str(key)


def number_text(value: float) -> str:
    """A number inside a string."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    return shortest(value)


def json_number(value: float) -> str:
    """A finite number inside JSON: always a float, and a positive exponent has its sign."""
    mantissa, exponent, power = shortest(float(value)).partition("e")
    return f"{mantissa}e+{power}" if exponent and power[0] != "-" else mantissa + exponent + power


def shortest(value: float) -> str:
    """The shortest digits that read back, with an exponent where Rust's printer uses one."""
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    if not exponent:
        return text
    places = int(power)
    if places == -5:  # noqa: PLR2004 - Python already writes an exponent here, Rust does not yet
        sign = "-" if mantissa.startswith("-") else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{places}"
