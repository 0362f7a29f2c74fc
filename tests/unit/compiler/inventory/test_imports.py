"""The inventory as imports: only what is used is converted, and it is as if all had been."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.jsonnet.evaluate import Inexpressible, JsonnetError
from commodore_py.compiler.inventory.imports import FOLDER, InventoryImports
from tests.support.builders import TargetsByName
from tests.support.native_calls import TARGETS

if TYPE_CHECKING:
    from commodore_py.adapters.jsonnet.evaluate import Json
    from commodore_py.compiler.inventory.imports import ImportFile
    from tests.support.jsonnet_component import Component


class Counted(InventoryImports):
    """Remembers what was read."""

    def __init__(self, targets: TargetsByName) -> None:
        super().__init__(targets)
        self.names: list[str] = []

    def read(self, path: Path | str, target: str) -> ImportFile | None:
        """Read, and remember."""
        file = super().read(path, target)
        if file is not None:
            self.names.append(str(Path(path).relative_to(FOLDER)))
        return file


def value_of(component: Component, expression: str) -> Json:
    value: Json = json.loads(component.run(expression))
    return value


def of_parameters(parameters: dict[Any, Any]) -> InventoryImports:
    view: dict[str, Any] = {
        "applications": [],
        "classes": [],
        "exports": {},
        "parameters": parameters,
    }
    return InventoryImports(TargetsByName({"web": view}))


@pytest.mark.parametrize("target", ["null", "'web'", "'main-db'", "std.extVar('target')"])
@pytest.mark.parametrize(
    "expression",
    [
        "x",
        "x { parameters+: { web+: { replicas: 5 }, global: {} } }",
        "{ parameters+: { web+: { replicas: 5 } } } + x",
        "std.mergePatch(x, { parameters: { web: { off: 1, hosts: null }, global: null } })",
        "std.objectFields(x)",
        "std.prune(x)",
        "[x == x, x == {}, x { a: 1 } == x]",
        "std.manifestJson(x)",
        "std.toString(x)",
        "[std.type(x[f]) for f in std.objectFieldsAll(x)]",
        "std.mapWithKey(function(k, v) [k, v], x)",
        "std.length(x)",
        "x + x",
        "[std.get(x, 'nope', 5), std.objectHas(x, 'web'), 'parameters' in x]",
    ],
)
def test_it_is_the_object_that_the_native_gives(
    expression: str, target: str, component: Component
) -> None:
    imported = component.run(f"local x = kap.inventory({target}); {expression}")
    native = component.run(f"local x = native('inventory')({target}, null); {expression}")

    assert json.loads(imported) == json.loads(native)


def test_the_whole_inventory_is_what_went_in(component: Component) -> None:
    targets = json.loads(json.dumps(TARGETS))
    targets["web"]["parameters"]["global"]["big"] = 2**53

    assert value_of(component, "kap.inventory_global()") == targets
    assert value_of(component, "kap.inventory()") == targets["web"]


@pytest.mark.parametrize(
    ("expression", "reads"),
    [
        ("kap.inventory().parameters.web.replicas", ["self", "self/parameters/web"]),
        ("kap.inventory('web').classes", ["self", "self/classes"]),
        (
            "[kap.inventory().parameters.web.ratio, kap.inventory().parameters.web.off]",
            ["self", "self/parameters/web"],
        ),
        (
            "local i = kap.inventory(); [i.parameters.web.off, (i { a: 1 }).parameters.web.off]",
            ["self", "self/parameters/web"],
        ),
        ("std.objectFields(kap.inventory().parameters)", ["self"]),
        (
            "kap.inventory('main-db').parameters.db.name",
            ["all", "targets/main-db", "targets/main-db/parameters/db"],
        ),
        ("std.objectFields(kap.inventory(null))", ["all"]),
        ("kap.inventory(inv_path='app').parameters.web.off", []),
    ],
)
def test_only_what_is_used_is_read(expression: str, reads: list[str], component: Component) -> None:
    counted = Counted(TargetsByName(TARGETS))

    replace(component, evaluation=replace(component.evaluation, inventory=counted)).run(expression)

    assert sorted(set(counted.names)) == [f"{name}.jsonnet" for name in reads]


def test_targets_with_the_same_parameters_share_a_file_of_their_names() -> None:
    views = {
        name: _view(keys) for name, keys in {"a": "xy", "b": "xy", "c": "yx", "d": "x"}.items()
    }
    inventory = InventoryImports(TargetsByName(views))

    files = [inventory.read(FOLDER / "self.jsonnet", target) for target in "abcda"]

    assert None not in files
    assert files[0] == files[1] == files[4]
    assert len({name for name, _ in filter(None, files)}) == 3
    assert len({content for _, content in filter(None, files)}) == 3


@pytest.mark.parametrize("target", ["web", "main-db"])
def test_an_error_names_the_file_of_names_by_the_target(target: str, component: Component) -> None:
    parameters = {"fine": 1, "bad": math.inf}
    views = {name: {"classes": [], "parameters": parameters} for name in ("web", "main-db")}
    evaluation = replace(
        component.evaluation, target=target, inventory=InventoryImports(TargetsByName(views))
    )

    with pytest.raises(JsonnetError) as caught:
        replace(component, evaluation=evaluation).run("kap.inventory().parameters.bad")

    assert f"/self@{target}.jsonnet:1:" in caught.value.where


def test_what_is_behind_the_names_has_a_name_for_each_target() -> None:
    views = {name: _view("x", name) for name in ("a", "b", "a/b")}
    inventory = InventoryImports(TargetsByName(views))

    for section in ("parameters", "parameters/x", "classes"):
        files = [inventory.read(FOLDER / f"self/{section}.jsonnet", target) for target in views]
        assert len({name for name, _ in filter(None, files)}) == len(views)


def _view(keys: str, value: str = "") -> dict[str, Any]:
    return {"classes": [], "parameters": dict.fromkeys(keys, value)}


def test_another_target_sees_itself() -> None:
    inventory = InventoryImports(TargetsByName(TARGETS))
    path = FOLDER / "self.jsonnet"

    for target, key in (("web", "web"), ("main-db", "db"), ("web", "web")):
        _, content = inventory.read(path, target) or ("", b"")
        assert f"self/parameters/{key}.jsonnet".encode() in content


@pytest.mark.parametrize(
    "name",
    [
        "nothing.jsonnet",
        "targets/nobody.jsonnet",
        "self/parameters/gone.jsonnet",
        "self/gone.jsonnet",
        "self/classes/0.jsonnet",
    ],
)
def test_there_is_nothing_else_in_the_folder(name: str) -> None:
    assert InventoryImports(TargetsByName(TARGETS)).read(FOLDER / name, "web") is None


def test_other_folders_are_none_of_its_business() -> None:
    assert InventoryImports(TargetsByName(TARGETS)).read(Path("/x/self.jsonnet"), "web") is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (dt.date(2020, 1, 1), "is a date"),
        (math.inf, "not a finite number"),
        (math.nan, "not a finite number"),
        (2**63, "more than 64 bits"),
        ("a\0b", "null character"),
        ("\ud800", "half a surrogate pair"),
        ({1: 2}, "the key 1 is not a string"),
    ],
)
def test_what_jsonnet_cannot_hold_is_reported_with_its_path(value: object, message: str) -> None:
    inventory = of_parameters({"fine": 1, "app": {"list": [value]}})

    assert inventory.read(FOLDER / "self" / "parameters" / "fine.jsonnet", "web")
    with pytest.raises(Inexpressible, match=message) as caught:
        inventory.read(FOLDER / "self" / "parameters" / "app.jsonnet", "web")
    assert caught.value.path[:5] == ("web", "parameters", "app", "list", 0)


def test_parameter_without_a_name_is_reported() -> None:
    with pytest.raises(Inexpressible, match="the key 5 is not a string") as caught:
        of_parameters({5: 1}).read(FOLDER / "self.jsonnet", "web")
    assert caught.value.path == ("web", "parameters", 5)
