"""Our natives, library and imports against Kapitan's, on the same calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.compiler.natives import natives
from commodore_py.errors import CommodoreError
from commodore_py.lib import KAPITAN_INVENTORY
from tests.differential import kapitans_natives as kapitan
from tests.differential.kapitans_natives import KapitanFails
from tests.support.builders import TargetsByName
from tests.support.calls import COMPILING, failures, values
from tests.support.jsonnet_component import Component, lay_out
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

TABLES = COMPILING["natives"], COMPILING["library"]

IMPORTS = {
    "lib/x.libsonnet": b"'first'\r\n",
    "lib/y.libsonnet": b"import '../z.libsonnet'",
    "z.libsonnet": b"[import 'lib/x.libsonnet', std.thisFile]",
    "deep/app/here.libsonnet": b"import '../there.libsonnet'",
    "there.libsonnet": b"'beside the folder that the link leads to'",
    "lib/text.txt": b"a\r\nb\rc\n",
    "lib/shift.libsonnet": b"importstr 'text.txt'",
}

_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["yes", "010", "=", "a: b", "- x", "~", "1e3", " x ", "x\n", "\n\n", "#"]),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)
_PIECES = (
    *"abc: -?[]{},#&*!|>'\"%@`\n\t \r~=<.0123456789/\\\ufeff\x7f\x85\u2028é😀",
    *("\n- ", ": ", "\n  ", "\n---\n", "...\n", "0x1F", "1_000", "yes", "1e3", "12:30"),
    *("!!binary ", "!!set ", "!!str ", "!!int ", "!!pairs ", "|+\n", ">-\n", "&a ", "*a", "<<: "),
    *('"\\ud800"', "2020-01-01", "{a: b}", "[a, b]", "null", "''", '""', "a:b", ".inf", "! "),
)


@dataclass(frozen=True)
class Both:
    """The same component for ours and for Kapitan."""

    component: Component

    def ours(self, expression: str) -> object:
        return json.loads(self.component.run(expression))

    def kapitans(self, expression: str) -> object:
        return kapitan.evaluate_expression(
            expression, self.component.folder, self.component.search_paths
        )

    def native(self, name: str) -> Any:  # noqa: ANN401 - any of our natives
        folder = self.component.folder
        files = Files(folder / "compiled", folder / "catalog", {}, self.component.search_paths)
        views = self.component.imports.views
        return natives(files, views, target=kapitan.TARGET)[name].call


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    root = tmp_path_factory.mktemp("both")
    kapitan.write_inventory(root / "inventory", COMPILING["targets"])
    views = TargetsByName(kapitan.load_inventory(root / "inventory"))
    imports = InventoryImports(views, KAPITAN_INVENTORY)
    component = Component(root, lay_out(root), kapitan.TARGET, imports)
    for name, content in IMPORTS.items():
        file = component.search_paths[1] / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (component.search_paths[1] / "link").symlink_to("deep/app")
    return Both(component)


def test_library_has_same_fields_as_kapitan(both: Both) -> None:
    fields = "[std.objectFieldsAll(kap), std.objectFields(kap)]"

    assert both.ours(fields) == both.kapitans(fields)


@each(("call", "value"), values(*TABLES).items())
def test_native_call_matches_kapitan(call: str, value: object, both: Both) -> None:
    assert both.kapitans(call) == both.ours(call) == value


@each("call", failures(*TABLES))
def test_native_call_fails_as_in_kapitan(call: str, both: Both) -> None:
    with pytest.raises(KapitanFails):
        both.kapitans(call)
    with pytest.raises(CommodoreError):
        both.ours(call)


@each("call", ["file_exists('app/a.yaml')", "file_exists('./app//text/')"])
def test_paths_are_spelt_as_kapitan_does(call: str, both: Both) -> None:
    assert both.ours(f"kap.{call}") == both.kapitans(f"kap.{call}")


@each("target", ["null", "'web'", "'main-db'"])
@each(
    "expression",
    [
        "x",
        "std.objectFields(x)",
        "x { parameters+: { web+: { replicas: 5 } } }",
        "std.mergePatch(x, { parameters: { web: { off: 1, hosts: null }, global: null } })",
        "std.prune(x)",
        "std.toString(x)",
        "[x == x, x == {}]",
    ],
)
def test_inventory_function_returns_same_object(expression: str, target: str, both: Both) -> None:
    whole = f"local x = kap.inventory({target}); {expression}"

    assert both.ours(whole) == both.kapitans(whole)


@each(
    "expression",
    [
        "import 'lib/x.libsonnet'",
        "importstr 'lib/x.libsonnet'",
        "importbin 'lib/x.libsonnet'",
        "(import 'lib/y.libsonnet')[0]",
        "std.endsWith((import 'lib/y.libsonnet')[1], '/first/z.libsonnet')",
        # The file is reached through a link: its `..` is beside the link.
        "import 'link/here.libsonnet'",
        "import 'lib/../lib/./shift.libsonnet'",
        "importstr 'lib/text.txt'",
        "import 'lib/gone.libsonnet'",
        "import 'lib'",
        "import 'lib/inventory/self.json'",
    ],
)
def test_imports_find_and_read_the_same(expression: str, both: Both) -> None:
    try:
        expected = both.kapitans(expression)
    except (KapitanFails, OSError):
        with pytest.raises(CommodoreError):
            both.ours(expression)
    else:
        assert both.ours(expression) == expected


@pytest.mark.parametrize("name", ["sha256_string", "gzip_b64"])
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_digests_and_archives_are_the_same(name: str, text: str, both: Both) -> None:
    assert both.native(name)(text) == kapitan.native(name)(text)


@given(value=_JSON)
def test_yaml_is_written_the_same(value: object, both: Both) -> None:
    text = json.dumps(value)

    assert both.native("yaml_dump")(text) == kapitan.native("yaml_dump")(text)


@given(value=st.lists(_JSON, max_size=4) | st.text(max_size=5))
def test_yaml_documents_are_written_the_same(value: object, both: Both) -> None:
    text = json.dumps(value)

    assert both.native("yaml_dump_stream")(text) == kapitan.native("yaml_dump_stream")(text)


@pytest.mark.parametrize("name", ["yaml_load", "yaml_load_stream"])
@given(text=st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_yaml_functions_read_like_kapitan(name: str, text: str, both: Both) -> None:
    folder: Path = both.component.search_paths[1]
    (folder / "generated.yaml").write_bytes(text.encode())
    try:
        expected = kapitan.native(name, folder)("generated.yaml")
    except Exception:  # noqa: BLE001 - Kapitan's many ways to fail; ours may read it all the same
        return

    try:
        ours = both.native(name)("generated.yaml")
    except CommodoreError:
        # Where libyaml refuses a text, so do we.
        with pytest.raises((yaml.YAMLError, ValueError)):
            list(yaml.load_all(text.encode(), yaml.CSafeLoader))
        return

    assert ours == expected or "\ufeff" in text


@given(value=_JSON, schema=st.sampled_from(["{}", '{"type": "object"}', '{"minLength": 2}', "5"]))
def test_json_schema_validation_matches_kapitan(value: object, schema: str, both: Both) -> None:
    arguments = (json.dumps(value), schema)
    try:
        expected = kapitan.native("jsonschema_validate")(*arguments)
    except Exception:  # noqa: BLE001 - any failure of Kapitan is one of ours
        with pytest.raises(CommodoreError):
            both.native("jsonschema_validate")(*arguments)
    else:
        assert both.native("jsonschema_validate")(*arguments) == expected
