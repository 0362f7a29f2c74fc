"""Files and schemas of others in natives and filters: errors with a place, and no crash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.values import JsonnetError, read_all
from commodore_py.adapters.time_limits import TookTooLong
from commodore_py.compiler.natives import validation
from commodore_py.errors import CommodoreError
from tests.support.tables import each

if TYPE_CHECKING:
    from tests.support.jsonnet_component import Component

MANY = 100_000
HOSTILE = {
    "lists": "[" * MANY,
    "mappings": "{a: " * MANY,
    "lists in mappings": "[{" * MANY,
    "list items": "- " * MANY + "a",
    "aliases": "d0: &d0 [lol, lol]\n"
    + "".join(f"d{n}: &d{n} [*d{n - 1}, *d{n - 1}]\n" for n in range(1, 41)),
    "merge keys": "d0: &d0 {a: 1}\n"
    + "".join(f"d{n}: &d{n} {{<<: [*d{n - 1}, *d{n - 1}]}}\n" for n in range(1, 41)),
    "an anchor in itself": "&a [*a]",
    "an integer": "a: " + "9" * 5_000,
    "a hexadecimal integer": "a: 0x" + "f" * 9_000,
    "a tag": "a: !!python/object/apply:os.system [x]",
}
CALLS = [
    "native('yaml_load')('app/hostile.yaml')",
    "native('yaml_load_stream')('app/hostile.yaml')",
    "native('yaml_load_all')('app/hostile.yaml')",
]
ENDLESS = "a" * 60 + "!"


@each("content", HOSTILE)
@each("call", CALLS)
def test_hostile_file_read_by_native_reports_line(
    component: Component, content: str, call: str
) -> None:
    (component.search_paths[1] / "app/hostile.yaml").write_text(HOSTILE[content])

    with pytest.raises(JsonnetError) as caught:
        component.run(call)

    assert "app/hostile.yaml:" in caught.value.where


@each("content", HOSTILE)
def test_hostile_document_read_by_filter_reports_line(content: str) -> None:
    with pytest.raises(CommodoreError) as caught:
        read_all(HOSTILE[content].encode(), name="f.yaml")

    assert caught.value.where.startswith("f.yaml:")


@each("levels", [320, 900, 990])
def test_document_too_deep_for_jsonnet_is_an_error(levels: int) -> None:
    with pytest.raises(CommodoreError, match=r"nested (too deeply|deeper)"):
        read_all(f"{'[' * levels}{']' * levels}".encode(), name="f.yaml")


@each("levels", [100, 240])
def test_moderately_nested_values_are_read(component: Component, levels: int) -> None:
    (component.search_paths[1] / "app/hostile.yaml").write_text("[" * levels + "]" * levels)

    assert json.loads(component.run(f"std.length({CALLS[0]})")) == 2 * levels


@pytest.mark.long
def test_large_string_is_read_by_natives(component: Component) -> None:
    (component.search_paths[1] / "app/hostile.yaml").write_text(f"a: {'x' * 50_000_000}\n")

    lengths = component.run(
        "[std.length(importstr 'app/hostile.yaml'),"
        " std.length(native('file_read')('app/hostile.yaml')),"
        " std.length(native('yaml_load')('app/hostile.yaml'))]"
    )

    assert json.loads(lengths) == [50_000_004, 50_000_004, 50_000_009]


@each(
    ("value", "schema"),
    [
        (ENDLESS, {"pattern": "^(a+)+$"}),
        (ENDLESS, {"pattern": "^(a|a)*$"}),
        ([1, {"b": ENDLESS}], {"items": {"properties": {"b": {"pattern": "^(a|aa)+$"}}}}),
        ({ENDLESS: 1}, {"patternProperties": {"^(a+)+$": {}}}),
        ({ENDLESS: 1}, {"propertyNames": {"pattern": "^(a*)*$"}}),
        ({ENDLESS: 1}, {"patternProperties": {"^(.*a){20}$": {}}, "additionalProperties": False}),
    ],
)
def test_endless_schema_validation_is_an_error(value: object, schema: object) -> None:
    with pytest.raises(TookTooLong, match=r"the validation took more than 0\.3 seconds") as caught:
        validation(value, schema, seconds=0.3)

    assert "patterns of the schema" in caught.value.hint


@pytest.mark.long
def test_endless_validation_in_jsonnet_is_an_error(component: Component) -> None:
    schema = json.dumps(json.dumps({"pattern": "^(a+)+$"}))
    value = json.dumps(json.dumps(ENDLESS))

    with pytest.raises(JsonnetError, match="the validation took more than 5 seconds of CPU time"):
        component.run(f"native('jsonschema_validate')({value}, {schema})")


def test_self_referencing_schema_is_an_error() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}

    with pytest.raises(CommodoreError, match=r"the schema cannot be used|took more than"):
        validation(1, schema, seconds=2)
