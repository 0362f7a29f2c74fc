"""The door of natives: YAML, JSON, schemas and templates that component code reads."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.compiler.inventory.imports import InventoryImports
from commodore_py.compiler.natives import Memo, natives
from commodore_py.compiler.natives.files import Lookup
from commodore_py.errors import CommodoreError
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, as_json, as_yaml, damaged, spoilt
from tests.support.builders import TargetsByName

VALID = {"a": [1, 2.5, "x", None, True], "b": {"c": {"d": "e"}}, "f": "2020"}
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 1}},
    "required": ["a"],
    "patternProperties": {"^b": {"$ref": "#/definitions/x"}},
    "definitions": {"x": {"type": "object", "format": "ipv4", "pattern": "^(a+)+$"}},
}
TEXTS = st.one_of(
    spoilt([as_yaml(VALID), as_json(VALID), b"a: 1\n---\nb: 2\n", b"a: &a [1]\nb: *a\n"]),
    damaged(VALID).map(as_yaml),
    damaged(VALID).map(as_json),
)
TEMPLATES = st.sampled_from(
    [
        *(
            "{{ a }}",
            "{{ a|yaml }}",
            "{{ 1/0 }}",
            "{% for i in range(9) %}{{ i }}{% endfor %}",
            "{{",
        ),
        *(
            "{{ ''.__class__ }}",
            "{% include 't.j2' %}",
            "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
        ),
        *(
            "{{ a|b64encode }}",
            "{{ a|toml }}",
            "{{ a|to_datetime }}",
            "{{ a|regex_findall('(a+)+$') }}",
        ),
    ]
)
CASES = st.tuples(
    TEXTS,
    st.one_of(damaged(SCHEMA).map(as_json), spoilt([as_json(SCHEMA)])),
    st.one_of(TEMPLATES.map(str.encode), spoilt([b"{{ a }}\n"])),
    st.sampled_from([*NAMES, "f.yaml", "./f.yaml", "../x/f.yaml", "."]),
)


def feed(case: tuple[bytes, bytes, bytes, str]) -> None:
    text, schema, template, name = case
    errors: list[CommodoreError] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        (folder / "f.yaml").write_bytes(text)
        (folder / "t.j2").write_bytes(template)
        lookup = Lookup((folder,), Overlay(folder / "compiled", folder / "catalog", {}))
        offered = natives(lookup, InventoryImports(TargetsByName({})), Memo(), target="t")
        as_text = text.decode(errors="replace")
        calls: list[tuple[str, *tuple[object, ...]]] = [
            *(("yaml_load", "f.yaml"), ("yaml_load_stream", "f.yaml"), ("yaml_load_all", "f.yaml")),
            *(("yaml_dump", as_text), ("yaml_dump_stream", as_text), ("sha256_string", as_text)),
            ("jsonschema_validate", as_text, schema.decode(errors="replace")),
            ("jinja2_render_file", "t.j2", as_text),
            *(("file_read", name), ("file_exists", name), ("dir_files_list", name)),
            *(("dir_files_read", name), ("list_dir", name, True), ("yaml_load", f"{name}.yaml")),
        ]
        for native, *arguments in calls:
            try:
                offered[native].call(*arguments)
            except CommodoreError as error:
                errors.append(error)
    if len(errors) > len(calls) - 4:
        raise errors[0]


def of(text: bytes) -> tuple[bytes, bytes, bytes, str]:
    return text, as_json(SCHEMA), b"{{ a }}", "f.yaml"


def test_natives() -> None:
    deep = b"[" * 100_000
    survives(
        feed,
        CASES,
        of(as_yaml(VALID)),
        of(as_json(VALID)),
        of(deep),
        of(deep + b"]" * 100_000),
        of(b"9" * 5000),
        of(b"a: " + b"9" * 100_000),
        of(b"a: &a [*a]"),
        of(
            b"a0: &a0 [lol]\n"
            + b"".join(b"a%d: &a%d [%s]\n" % (n + 1, n + 1, b"*a%d," % n * 10) for n in range(9))
        ),
        (b"1", deep, b"", "."),
        (b"1", b"[" * 900 + b"]" * 900, b"", "."),
        (b"[" * 900 + b"]" * 900, b'{"type": "object"}', b"", "."),
        (b"{}", b"{}", b"{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "."),
        (
            b"{}",
            b"{}",
            b"{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
            ".",
        ),
        slow=[(b'"' + b"a" * 40 + b'!"', b'{"pattern": "^(a+)+$"}', b"", ".")],
    )
