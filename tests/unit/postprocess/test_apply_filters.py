"""Running the filters of instances: which run, on what, and what is said when one cannot."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.model.spot import Nowhere
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import ParameterPath

JSONNET = {"type": "jsonnet", "path": "out", "filter": "filter.jsonnet"}
HELM = {
    "type": "builtin",
    "path": "out",
    "filter": "helm_namespace",
    "filterargs": {"namespace": "ns"},
}


class Lines(Nowhere):
    """Every definition on a line of its own, from the seventh on."""

    def parameter(self, _target: str, path: ParameterPath) -> str:
        return f"tenant/common.yml:{7 + int(str(path[-1])[1:-1])}" if len(path) == 4 else ""


def a_tree(files: Mapping[str, str]) -> Tree:
    return Tree({PurePosixPath(name): Entry(text.encode()) for name, text in files.items()})


@dataclass
class World:
    """A working directory with instances, their compiled files and their filters."""

    root: Path
    filters: dict[str, Any] = field(default_factory=dict)
    compiled: dict[str, dict[str, str]] = field(default_factory=dict)
    component: str = "app"
    raw: dict[str, Any] = field(default_factory=dict)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run(self, **settings: object) -> tuple[dict[str, dict[str, str]], tuple[Problem, ...]]:
        compiled = {name: a_tree(files) for name, files in self.compiled.items()}
        nodes = {
            name: make_node(
                name, parameters={"commodore": {"postprocess": {"filters": found}}}, raw=self.raw
            )
            for name, found in self.filters.items()
        }
        checkouts = [
            make_dependency(name, self.root / "dependencies" / name) for name in self.filters
        ]
        inventory = Inventory(nodes, tuple(Instance(n, self.component) for n in self.filters))
        sources = make_sources(self.root, inventory, checkouts, places=Lines())
        filtered, notices = apply_filters(make_config(self.root, **settings), compiled, sources)
        texts = {
            name: {str(path): entry.content.decode() for path, entry in tree.items()}
            for name, tree in filtered.items()
        }
        return texts, notices


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, {"app": [JSONNET]}, {"app": {"out/a.yaml": "kind: A\n"}})


def failure_of(world: World, source: str = "{}") -> CommodoreError:
    world.write("dependencies/app/filter.jsonnet", source)
    with pytest.raises(CommodoreError) as caught:
        world.run()
    return caught.value


def load(name: str = "a.yaml") -> str:
    return f"{{ x: std.native('yaml_load')(std.extVar('output_path') + '/{name}') }}"


def test_instance_without_filters_is_left_as_it_is(world: World) -> None:
    world.filters = {"app": None}

    assert world.run() == ({"app": {"out/a.yaml": "kind: A\n"}}, ())


def test_nothing_is_written_to_disk(world: World) -> None:
    world.write("dependencies/app/filter.jsonnet", "{ a: 1 }")
    before = sorted(world.root.rglob("*"))

    world.run()

    assert sorted(world.root.rglob("*")) == before


def test_filter_knows_its_place_its_component_and_its_arguments(world: World) -> None:
    world.component = "web-shop"
    world.filters = {"app": [{**JSONNET, "path": "new", "filterargs": {"a": "A", "target": "no"}}]}
    names = ["component", "target", "output_path", "a"]
    source = "{ x: [" + ", ".join(f"std.extVar('{name}')" for name in names) + "] }"
    world.write("dependencies/app/filter.jsonnet", source)

    filtered, notices = world.run()

    assert filtered["app"]["new/x.yaml"] == (
        f"web-shop\n--- web-shop\n--- {world.root}/compiled/app/new\n--- A\n...\n"
    )
    assert notices == ()


def test_filter_sees_the_raw_node(world: World) -> None:
    world.raw = {"parameters": {"p": 1}, "__reclass__": {"node": "app"}}
    world.write("dependencies/app/filter.jsonnet", "{ x: std.native('commodore_inventory')() }")

    filtered, _ = world.run()

    assert filtered["app"]["out/x.yaml"] == "__reclass__:\n  node: app\nparameters:\n  p: 1\n"


def test_other_instances_look_as_they_were_before_filters(world: World) -> None:
    read_other = "{ saw: std.native('yaml_load')(std.extVar('output_path') + '%s') }"
    world.filters["before"] = world.filters["zeta"] = [JSONNET]
    world.compiled |= {"before": {"out/a.yaml": "was: 1\n"}, "zeta": {}}
    world.write("dependencies/app/filter.jsonnet", "{ a: { kind: 'Changed' } }")
    world.write("dependencies/before/filter.jsonnet", read_other % "/../../app/out/a.yaml")
    world.write("dependencies/zeta/filter.jsonnet", read_other % "/../../before/out/a.yaml")

    filtered, _ = world.run()

    assert filtered["app"]["out/a.yaml"] == "kind: Changed\n"
    assert filtered["before"]["out/saw.yaml"] == "kind: A\n"
    assert filtered["zeta"] == {"out/saw.yaml": "was: 1\n"}


def test_imports_are_looked_up_beside_then_in_root_own_libraries_and_vendor(world: World) -> None:
    for name, folders in {
        "one": ("dependencies/app", "", "vendor"),
        "two": ("", "vendor"),
        "three": ("vendor",),
        "lib/commodore.libjsonnet": ("vendor",),
    }.items():
        for folder in folders:
            world.write(f"{folder}/{name}" if folder else name, f"'{folder or 'root'}'")
    source = """{
      x: [import 'one', import 'two', import 'three',
          std.isObject(import 'lib/commodore.libjsonnet')],
    }"""
    world.write("dependencies/app/filter.jsonnet", source)

    filtered, _ = world.run()

    assert filtered["app"]["out/x.yaml"] == (
        "dependencies/app\n--- root\n--- vendor\n--- true\n...\n"
    )


def test_imports_of_compiled_files_come_from_this_run(world: World) -> None:
    world.write("compiled/app/out/a.yaml", "stale")
    world.write(
        "dependencies/app/filter.jsonnet",
        "{ x: [importstr 'compiled/app/out/a.yaml', importstr '../../compiled/app/out/a.yaml'] }",
    )

    filtered, _ = world.run()

    assert filtered["app"]["out/x.yaml"] == "|\n  kind: A\n--- |\n  kind: A\n"


def test_listing_gives_sorted_names_or_whole_paths(world: World) -> None:
    world.compiled["app"] |= {"out/.hidden": "", "out/B": "", "out/sub/c": ""}
    world.write(
        "dependencies/app/filter.jsonnet",
        "local list = std.native('list_dir'); local out = std.extVar('output_path');"
        "{ names: { is: list(out, true) }, paths: { is: list(out, false) } }",
    )

    filtered, _ = world.run()

    assert filtered["app"]["out/names.yaml"] == "is:\n  - .hidden\n  - B\n  - a.yaml\n"
    assert f"  - {world.root}/compiled/app/out/B\n" in filtered["app"]["out/paths.yaml"]


def test_executable_files_stay_executable_and_filled_folders_are_not_empty(world: World) -> None:
    tree = Tree(
        {PurePosixPath("run.yaml"): Entry(b"", executable=True)},
        frozenset({PurePosixPath("hollow"), PurePosixPath("void")}),
    )
    node = make_node("app", parameters={"commodore": {"postprocess": {"filters": [JSONNET]}}})
    world.write("dependencies/app/filter.jsonnet", "{ '../run': 1, '../hollow/x': 2 }")
    checkout = make_dependency("app", world.root / "dependencies/app")
    sources = make_sources(world.root, Inventory({"app": node}), [checkout])

    filtered, _ = apply_filters(make_config(world.root), {"app": tree}, sources)

    assert filtered["app"][PurePosixPath("run.yaml")] == Entry(b"1\n...\n", executable=True)
    assert filtered["app"].empty_folders == {PurePosixPath("void")}


INVALID = [
    pytest.param("nope", "it is not a mapping", marks=pytest.mark.spec("07.07")),
    ({"filter": "f", "type": "jsonnet"}, "missing keys: path"),
    ({}, "missing keys: type, path, filter"),
    ({**JSONNET, "enabled": None}, "enabled is neither true nor false"),
    ({**JSONNET, "type": "python"}, "unknown type python"),
    ({**JSONNET, "path": 5}, "path and filter must be strings"),
    ({**JSONNET, "filter": "none.jsonnet"}, "there is no file"),
    ({**JSONNET, "filter": "folder"}, "there is no file"),
    ({**JSONNET, "filterargs": ["a"]}, "filterargs is not a mapping"),
    ({**HELM, "filter": "jsonnet"}, "there is no builtin filter jsonnet"),
    ({**HELM, "filter": "nope"}, "there is no builtin filter nope"),
    ({"type": "builtin", "path": "out", "filter": "helm_namespace"}, "missing key: filterargs"),
    pytest.param(
        {**HELM, "filterargs": None}, "missing key: filterargs", marks=pytest.mark.spec("07.08")
    ),
    pytest.param(
        {**HELM, "path": "gone"}, "there is no folder gone", marks=pytest.mark.spec("07.11")
    ),
    pytest.param(
        {**HELM, "path": "out/a.yaml"},
        "there is no folder out/a.yaml",
        marks=pytest.mark.spec("07.11"),
    ),
]


@pytest.mark.parametrize(("definition", "reason"), INVALID)
def test_invalid_definition_is_passed_over_aloud(
    world: World, definition: object, reason: str
) -> None:
    world.filters = {"app": [definition, HELM]}
    world.write("dependencies/app/filter.jsonnet", "{ never: 'run' }")
    world.write("dependencies/app/folder/x", "")

    filtered, (notice,) = world.run()

    assert filtered["app"] == {"out/a.yaml": "kind: A\nmetadata:\n  namespace: ns\n"}
    assert f" of app: {reason}" in notice.message
    assert notice.where == (
        "tenant/common.yml:7\ntarget app, parameters.commodore.postprocess.filters[0]"
    )
    assert notice.strict


@pytest.mark.parametrize(
    "wrong", [{"path": "gone"}, {"filter": "nope"}, {"filterargs": None}, {"type": "python"}]
)
def test_what_is_wrong_with_a_disabled_filter_is_no_error(
    world: World, wrong: dict[str, object]
) -> None:
    world.filters = {"app": [{**HELM, **wrong, "enabled": False}]}

    filtered, (notice,) = world.run()

    assert filtered == {"app": {"out/a.yaml": "kind: A\n"}}
    assert "skipped filter" in notice.message
    assert not notice.strict


def test_definitions_are_checked_before_any_filter_runs(world: World) -> None:
    world.filters = {"app": [{**JSONNET, "path": "made"}, {**HELM, "path": "made"}]}
    world.write("dependencies/app/filter.jsonnet", "{ x: { kind: 'X' } }")

    filtered, (notice,) = world.run()

    assert filtered["app"]["made/x.yaml"] == "kind: X\n"
    assert "there is no folder made" in notice.message


def test_disabled_filter_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world.filters = {"app": [{**HELM, "enabled": False}]}

    filtered, notices = world.run()

    assert filtered == {"app": {"out/a.yaml": "kind: A\n"}}
    assert notices == ()
    assert "filter helm_namespace of app is disabled" in caplog.text


def test_instance_without_node_is_passed_over_aloud(world: World) -> None:
    world.compiled["ghost"] = {"x": "y"}
    world.filters = {"app": []}

    filtered, (notice,) = world.run()

    assert filtered["ghost"] == {"x": "y"}
    assert "ghost" in notice.message


@pytest.mark.parametrize("filters", ["nope", {"a": 1}])
def test_filters_that_are_no_list_are_an_error(world: World, filters: object) -> None:
    world.filters = {"app": filters}

    error = failure_of(world)

    assert str(error) == "parameters.commodore.postprocess.filters is no list"
    assert error.where == "target app, parameters.commodore.postprocess.filters"


@pytest.mark.spec("07.08")
def test_jsonnet_filter_with_null_arguments_gets_none(world: World) -> None:
    world.filters = {"app": [{**JSONNET, "filterargs": None}]}
    world.write("dependencies/app/filter.jsonnet", "{}")

    assert world.run()[1] == ()


@pytest.mark.spec("07.09")
def test_arguments_may_have_any_name_but_component(world: World) -> None:
    names = ["config", "inv", "instance", "filterid", "path", "work_dir", "jsonnet_func"]
    world.filters = {"app": [{**JSONNET, "filterargs": dict.fromkeys([*names, "component"], "x")}]}
    world.write(
        "dependencies/app/filter.jsonnet",
        "{ x: std.extVar('component'), y: std.extVar('path') }",
    )

    filtered, (notice,) = world.run()

    assert filtered["app"]["out/x.yaml"] == "app\n...\n"
    assert filtered["app"]["out/y.yaml"] == "x\n...\n"
    assert "its argument component is not used" in notice.message


@pytest.mark.spec("07.10")
def test_argument_that_is_no_string_is_named(world: World) -> None:
    world.filters = {"app": [{**JSONNET, "filterargs": {"a": 1}}]}

    error = failure_of(world)

    assert str(error) == "filter argument a must be a string, not int"
    assert "put quotes around it" in error.hint
    assert notes_of(error) == (
        "while filtering app with filter.jsonnet, defined at tenant/common.yml:7",
    )


@pytest.mark.spec("07.12")
@pytest.mark.parametrize("path", ["..", "../other", "/abs", "a/../../b"])
@pytest.mark.parametrize("definition", [JSONNET, HELM])
def test_path_outside_of_the_instance_is_an_error(
    world: World, definition: dict[str, Any], path: str
) -> None:
    world.filters = {"app": [{**definition, "path": path}]}

    error = failure_of(world, "{ x: 1 }")

    assert f"{path!r} is writing outside its place" in str(error)
    assert notes_of(error) == (
        f"while filtering app with {definition['filter']}, defined at tenant/common.yml:7",
    )


@pytest.mark.spec("07.12")
@pytest.mark.parametrize("key", ["../../x", "/etc/x", "../../app-two/x", "a\\u0000b"])
def test_key_outside_of_the_instance_is_an_error(world: World, key: str) -> None:
    assert "is writing outside its place" in str(failure_of(world, f'{{ "{key}": 1 }}'))


@pytest.mark.parametrize("keys", [["a.yaml/x"], ["folder"], ["new", "new.yaml/x"]])
def test_key_in_the_way_of_another_file_is_an_error(world: World, keys: list[str]) -> None:
    world.compiled["app"]["out/folder.yaml/x"] = ""

    assert "cannot write out/" in str(failure_of(world, json.dumps(dict.fromkeys(keys, 1))))


@pytest.mark.spec("07.13", "10.06")
@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("a:\n  b: 2020-01-01\n", "2020-01-01 is a date", "2"),
        ("a:\n  - 1: 2\n", "the key 1 is no string", "2"),
        ("a: 1\n---\nb: 2\n", "another document", "2"),
        ("a:\n  b: [\n", "not valid YAML", "3"),
    ],
)
def test_unusable_yaml_names_file_and_line_and_the_call(
    world: World, text: str, says: str, line: str
) -> None:
    world.compiled = {"app": {"out/a.yaml": text}}

    error = failure_of(world, load())

    places = error.where.splitlines()
    file = f"{world.root}/compiled/app/out/a.yaml"
    assert str(error).startswith(f'yaml_load("{file}"): ')
    assert says in str(error)
    assert places[0].startswith(f"{file}:{line}")
    assert places[-1].startswith(f"{world.root}/dependencies/app/filter.jsonnet:1:")


@pytest.mark.spec("07.14")
def test_number_too_large_names_file_and_number(world: World) -> None:
    world.compiled = {"app": {"out/a.yaml": "x: 1\na: 9223372036854775808\n"}}

    error = failure_of(world, load())

    assert "9223372036854775808 has more than 64 bits" in str(error)
    assert error.where.startswith(f"{world.root}/compiled/app/out/a.yaml:2\n")


def test_file_that_is_not_there_is_named(world: World) -> None:
    assert '/compiled/app/out/b.yaml"): there is no such file' in str(
        failure_of(world, load("b.yaml"))
    )


@pytest.mark.spec("07.15")
@pytest.mark.parametrize(
    ("source", "kind"), [("[1]", "an array"), ("'x'", "a string"), ("null", "null")]
)
def test_result_must_be_an_object(world: World, source: str, kind: str) -> None:
    error = failure_of(world, source)

    assert str(error) == f"a filter must return an object, not {kind}"
    assert error.where == f"{world.root}/dependencies/app/filter.jsonnet"
    assert notes_of(error) == (
        "while filtering app with filter.jsonnet, defined at tenant/common.yml:7",
    )


@pytest.mark.spec("10.03")
def test_library_of_kapitan_is_not_for_filters(world: World) -> None:
    error = failure_of(world, "{\n  x: import 'lib/kapitan.libjsonnet',\n}")

    assert "lib/kapitan.libjsonnet" in str(error)
    assert error.where.startswith(f"{world.root}/dependencies/app/filter.jsonnet:2:")
    assert "exists only while compiling" in error.hint


@pytest.mark.spec("10.12")
def test_empty_import_is_passed_over(world: World) -> None:
    world.write("dependencies/app/lib.libsonnet", "")

    error = failure_of(world, "import 'lib.libsonnet'")

    assert str(error) == (
        f"import of lib.libsonnet: {world.root}/dependencies/app/lib.libsonnet is empty"
    )


@pytest.mark.parametrize("name", ["folder", "compiled/app/out"])
def test_import_of_a_folder_is_an_error(world: World, name: str) -> None:
    world.write("dependencies/app/folder/x", "")
    world.write("vendor/folder", "1")

    assert "is a folder, not a file" in str(failure_of(world, f"import '{name}'"))


def test_failures_of_all_instances_come_at_once(world: World) -> None:
    for name in ("app", "two"):
        world.filters[name] = [JSONNET, {**HELM, "path": "../never-reached"}]
        world.write(f"dependencies/{name}/filter.jsonnet", f"error 'in {name}'")
    world.filters["fine"] = [HELM]
    world.compiled |= {"two": {}, "fine": {"out/a.yaml": "kind: A\n"}}

    with pytest.raises(SeveralErrors) as caught:
        world.run()

    assert [(str(error), notes_of(error)) for error in caught.value.errors] == [
        ("in app", ("while filtering app with filter.jsonnet, defined at tenant/common.yml:7",)),
        ("in two", ("while filtering two with filter.jsonnet, defined at tenant/common.yml:7",)),
    ]
