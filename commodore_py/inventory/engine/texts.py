"""Values inside texts, as reclass-rs writes them (pure)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from . import numbers
from .values import Map, OddKey, ResolveError, Sequence, Token, Value, kind_of

if TYPE_CHECKING:
    from collections.abc import Hashable


def as_text(value: Value) -> str:
    """A value inside a text, as reclass-rs writes it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return "null"
    if kind is bool:
        return str(value)
    if kind in (int, float):
        return numbers.number_text(value)
    return _json_text(value)


def _json_text(value: Value) -> str:
    kind = type(value)
    if kind is Map:
        # Keys that look alike as texts, such as 1 and "1", become one.
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
            return numbers.json_number(value)
        return json.dumps(numbers.number_text(value))
    if kind is str or kind is Token:
        # References below a mapping stay as they are written: it is no value here, but a text.
        return json.dumps(value if kind is str else value.text, ensure_ascii=False)
    raise ResolveError(f"{kind_of(value)} cannot stand in a text")


def _json_key(key: Hashable) -> str:
    if key is None:
        return "null"
    if isinstance(key, OddKey):
        return str(key).lower() if isinstance(key.value, bool) else numbers.number_text(key.value)
    return str(key)
