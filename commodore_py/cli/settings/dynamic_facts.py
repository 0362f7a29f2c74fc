"""`-d KEY=VALUE` to nested dynamic facts (pure); an invalid item is ignored with a warning.

One that exceeds a limit is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

_JSON = "json:"
_MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class ParsedFacts:
    """The valid facts, and warnings about the others."""

    facts: dict[str, Any]
    warnings: list[str]


def parse(items: Iterable[str]) -> ParsedFacts:
    """Every item in order, into one nested dictionary."""
    parsed = ParsedFacts({}, [])
    for item in items:
        problem = _add(parsed, item)
        if problem:
            parsed.warnings.append(f"dynamic fact {item!r} is ignored: {problem}")
    return parsed


def _add(parsed: ParsedFacts, item: str) -> str:
    key, equals, text = item.partition("=")
    if not equals:
        return "expected KEY=VALUE"
    if not key or not text:
        return 'key and value must not be empty (for an empty string: KEY=json:"")'
    path = key.split(".")
    if not all(path):
        return "a part of the key is empty"
    if len(path) > _MOST_PARTS:
        raise CommodoreError(f"dynamic fact {key[:40]}...: a key of more than {_MOST_PARTS} parts")
    value: Any = text
    if text.startswith(_JSON):
        try:
            value = json_text.load(text.removeprefix(_JSON), name=key)
        except JsonError as error:
            if error.limit:
                raise CommodoreError(f"dynamic fact {key}: {error}") from error
            return str(error)
        if value is None:
            return "null is not a valid value"
    return _set(parsed, path, value)


def _set(parsed: ParsedFacts, path: list[str], value: object) -> str:
    parent = parsed.facts
    for index, part in enumerate(path[:-1]):
        child = parent.setdefault(part, {})
        if not isinstance(child, dict):
            return f"{'.'.join(path[: index + 1])} is already {child!r}, not a mapping"
        parent = child
    if path[-1] in parent:
        parsed.warnings.append(
            f"dynamic fact {'.'.join(path)}: {value!r} replaces {parent[path[-1]]!r}"
        )
    parent[path[-1]] = value
    return ""
