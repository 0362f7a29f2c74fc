"""What the API server demands of its own kinds beyond their published schemas."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import Version, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX = "io.k8s."
_ITEMS = "[]"
_RANGES = {"int32": 1 << 31, "int64": 1 << 63}


@lru_cache(maxsize=1)
def _rules() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


def ranged(schema: Mapping[str, Any]) -> dict[str, int]:
    """The limits of an integer's format: others cannot be decoded."""
    size = _RANGES.get(str(schema.get("format")))
    if size is None or schema.get("type") not in ("integer", ["integer", "null"]):
        return {}
    return {"minimum": -size, "maximum": size - 1}


def refined(name: str, definition: dict[str, Any], version: Version) -> dict[str, Any]:
    """A definition with the rules of servers for it."""
    rules, short = _rules(), name.removeprefix(_PREFIX)
    fields = dict(mapping(definition.get("properties")))
    required = {*definition.get("required", ()), *rules["required"].get(short, ())}
    required = {one for one in required if one in fields} - {*rules["optional"].get(short, ())}
    for field in rules["optional"].get(short, ()):
        if isinstance(fields[field].get("type"), str):
            fields[field] = {**fields[field], "type": [fields[field]["type"], "null"]}
    for field in rules["not_empty"].get(short, ()):
        fields[field] = {**fields[field], "minItems": 1}
    # A later version may know more values.
    if version <= Version(*map(int, rules["newest"].split("."))):
        for written, values in rules["values"].get(short, {}).items():
            field = written.removesuffix(_ITEMS)
            given = mapping(fields.get(field))
            if written.endswith(_ITEMS) and given:
                fields[field] = {**given, "items": {**mapping(given.get("items")), "enum": values}}
            elif given:
                # To most fields, an absent value and an empty one are the same.
                blank = field not in required and field not in rules["not_blank"].get(short, ())
                empty = [""] if blank else []
                fields[field] = {**given, "enum": [*values, *empty, None]}
    found = {**definition, "properties": fields} if fields else definition
    if required:
        return {**found, "required": sorted(required)}
    return {key: value for key, value in found.items() if key != "required"}
