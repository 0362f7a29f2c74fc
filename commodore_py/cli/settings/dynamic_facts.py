"""`-d KEY=VALUE` to nested dynamic facts (pure); an invalid item is ignored with a warning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_JSON = "json:"


class ParsedFacts(NamedTuple):
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
    value: Any = text
    if text.startswith(_JSON):
        try:
            value = json.loads(text.removeprefix(_JSON))
        except ValueError as error:
            return f"not valid JSON: {error}"
        if value is None:
            return "null is not a valid value"
    return _set(parsed, path, value)


def _set(parsed: ParsedFacts, path: list[str], value: object) -> str:
    here = parsed.facts
    for index, part in enumerate(path[:-1]):
        child = here.setdefault(part, {})
        if not isinstance(child, dict):
            return f"{'.'.join(path[: index + 1])} is already {child!r}, not a mapping"
        here = child
    if path[-1] in here:
        parsed.warnings.append(
            f"dynamic fact {'.'.join(path)}: {value!r} replaces {here[path[-1]]!r}"
        )
    here[path[-1]] = value
    return ""
