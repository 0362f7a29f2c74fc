"""What the API server demands of its own kinds beyond their published schemas."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.checks.base import Version, mapping
from commodore_py.checks.schemas import FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

PLAIN = "+plain"
"""What ends names of definitions that are used without rules."""
Schema: TypeAlias = "dict[str, Any]"
_PREFIX, _REF = "io.k8s.", "$ref"
_ITEMS = "[]"
_PARTS = {_ITEMS: "items", "{}": "additionalProperties", "{key}": "propertyNames"}
"""What the name of a field ends with where the rule is for a part of it."""
_RANGES = {"int32": 1 << 31, "int64": 1 << 63}
# To servers, these are the same as nothing in most fields.
_BLANK: Schema = {"enum": [None, "", 0, []]}


@lru_cache(maxsize=1)
def _rules() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return {name: table for name, table in _rules().items() if isinstance(table, dict)}


def ranged(schema: Mapping[str, Any]) -> dict[str, int]:
    """The limits of an integer's format: others cannot be decoded."""
    size = _RANGES.get(str(schema.get("format")))
    if size is None or schema.get("type") not in ("integer", ["integer", "null"]):
        return {}
    return {"minimum": -size, "maximum": size - 1}


def refined(name: str, definition: Schema, version: Version) -> Schema:
    """A definition with the rules of servers for it."""
    rules = {table: one.get(name.removeprefix(_PREFIX), ()) for table, one in _tables().items()}
    fields: Schema = dict(mapping(definition.get("properties")))
    filled = {one for one in rules["filled"] if not one.endswith(_ITEMS)}
    required = {*definition.get("required", ()), *rules["required"], *filled}
    required = {one for one in required if one in fields} - {*rules["optional"]}
    for field in rules["not_empty"]:
        # Where it is required, it is not null either.
        kind = {"type": "array"} if field in required else {}
        fields[field] = {**fields[field], "minItems": 1, **kind}
    for written, change in _changes(rules, required, version):
        _change(fields, written, change)
    found = {**definition, "properties": fields} if fields else definition
    found |= _together(rules, fields)
    if required:
        return {**found, "required": sorted(required)}
    return {key: value for key, value in found.items() if key != "required"}


def _changes(
    rules: Mapping[str, Any], required: set[str], version: Version
) -> Iterator[tuple[str, Callable[[Schema], Schema]]]:
    """What is different in a field, or in a part of it."""
    yield from ((field, _nullable) for field in rules["optional"])
    yield from ((field, _plain) for field in rules["plain"])
    yield from ((written, _filled) for written in rules["filled"])
    # A later version may know more values.
    known = version <= Version(*map(int, _rules()["newest"].split(".")))
    values = dict(rules["values"]) if known else {}
    for written in rules["not_blank"]:
        if written not in values:
            yield written, _with(minLength=1)
    for field, limits in dict(rules["limits"]).items():
        yield field, _with(**dict(zip(("minimum", "maximum"), limits, strict=False)))
    for written, form in dict(rules["formats"]).items():
        least = {"minLength": 1} if written.endswith("{key}") else {}
        yield written, _with(format=FORMAT + form, **least)
    for written, some in values.items():
        # To most fields, an absent value and an empty one are the same.
        blank = written not in required and written not in rules["not_blank"]
        more = [] if written.endswith(_ITEMS) else [*([""] if blank else []), None]
        yield written, _with(enum=[*some, *more])


def _change(fields: Schema, written: str, change: Callable[[Schema], Schema]) -> None:
    """Change the schema of a field, of its items, or of its keys or values."""
    for end, part in _PARTS.items():
        if written.endswith(end):
            field = written.removesuffix(end)
            if field in fields:
                inner = change(dict(mapping(fields[field].get(part))))
                fields[field] = {**fields[field], part: inner}
            return
    if written in fields:
        fields[written] = change(fields[written])


def _with(**more: Any) -> Callable[[Schema], Schema]:  # noqa: ANN401 - of any form
    return lambda given: {**given, **more}


def _nullable(given: Schema) -> Schema:
    kind = given.get("type")
    return {**given, "type": [kind, "null"]} if isinstance(kind, str) else given


def _filled(given: Schema) -> Schema:
    # A number or a text, where it is a reference.
    kind = ["string", "integer"] if _REF in given else "string"
    return {**given, "type": kind, "minLength": 1}


def _plain(given: Schema) -> Schema:
    return {**given, _REF: given[_REF] + PLAIN} if _REF in given else given


def _together(rules: Mapping[str, Any], fields: Schema) -> Schema:
    """What is demanded of several fields at once."""
    found: Schema = {}
    if rules["one_of"]:
        null = {"type": "null"}
        found["oneOf"] = [null, *(_given(one) for one in _named(rules["one_of"], fields))]
    if rules["one_at_most"]:
        each = [_given(one) for one in _named(rules["one_at_most"], fields)]
        found["oneOf"] = [{"not": {"anyOf": each}}, *each]
    if rules["some_of"]:
        found["anyOf"] = [_given(one) for one in _named(rules["some_of"], fields)]
    if rules["when"]:
        found["allOf"] = [_when(one) for one in rules["when"]]
    return found


def _when(rule: Mapping[str, Any]) -> Schema:
    """What a value of a field demands of others."""
    condition = {"required": [rule["field"]], "properties": {rule["field"]: {"enum": rule["is"]}}}
    if "empty" in rule:
        return {"if": condition, "then": {"properties": {rule["empty"]: {"maxItems": 0}}}}
    return {"if": condition, "then": _given(rule["needs"])}


def _named(names: Iterable[str], fields: Schema) -> list[str]:
    """Fields that are there in this version; a star stands for those of some definitions."""
    ends = tuple(one[1:] for one in names if one.startswith("*"))
    by_end = [one for one in fields if ends and fields[one].get(_REF, "").endswith(ends)]
    return [one for one in names if one in fields] + by_end


def _given(field: str) -> Schema:
    return {"type": "object", "required": [field], "properties": {field: {"not": _BLANK}}}
