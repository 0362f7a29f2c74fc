"""Running the filters of instances: which run, on what, and the errors."""

from __future__ import annotations

import json
import logging
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.inventory import Inventory
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources
from tests.support.scenarios.filters import HELM, JSONNET, FilteredInstances


@pytest.fixture
def instances(tmp_path: Path) -> FilteredInstances:
    return FilteredInstances(tmp_path, {"app": [JSONNET]}, {"app": {"out/a.yaml": "kind: A\n"}})


def failure_of(instances: FilteredInstances, source: str = "{}") -> CommodoreError:
    instances.write("dependencies/app/filter.jsonnet", source)
    with pytest.raises(CommodoreError) as caught:
        instances.run()
    return caught.value


def load(name: str = "a.yaml") -> str:
    return f"{{ x: std.native('yaml_load')(std.extVar('output_path') + '/{name}') }}"


def test_instance_without_filters_is_left_as_it_is(instances: FilteredInstances) -> None:
    instances.filters = {"app": None}

    assert instances.run() == ({"app": {"out/a.yaml": "kind: A\n"}}, ())


def test_nothing_is_written_to_disk(instances: FilteredInstances) -> None:
    instances.write("dependencies/app/filter.jsonnet", "{ a: 1 }")
    before = sorted(instances.root.rglob("*"))

    instances.run()

    assert sorted(instances.root.rglob("*")) == before


def test_filter_knows_its_place_its_component_and_its_arguments(
    instances: FilteredInstances,
) -> None:
    instances.component = "web-shop"
    instances.filters = {
        "app": [{**JSONNET, "path": "new", "filterargs": {"a": "A", "target": "no"}}]
    }
    names = ["component", "target", "output_path", "a"]
    source = "{ x: [" + ", ".join(f"std.extVar('{name}')" for name in names) + "] }"
    instances.write("dependencies/app/filter.jsonnet", source)

    filtered, notices = instances.run()

    assert filtered["app"]["new/x.yaml"] == (
        f"web-shop\n--- web-shop\n--- {instances.root}/compiled/app/new\n--- A\n...\n"
    )
    assert notices == ()


def test_filter_sees_the_raw_node(instances: FilteredInstances) -> None:
    instances.raw = {"parameters": {"p": 1}, "__reclass__": {"node": "app"}}
    instances.write("dependencies/app/filter.jsonnet", "{ x: std.native('commodore_inventory')() }")

    filtered, _ = instances.run()

    assert filtered["app"]["out/x.yaml"] == "__reclass__:\n  node: app\nparameters:\n  p: 1\n"


def test_other_instances_look_as_they_were_before_filters(instances: FilteredInstances) -> None:
    read_other = "{ saw: std.native('yaml_load')(std.extVar('output_path') + '%s') }"
    instances.filters["before"] = instances.filters["zeta"] = [JSONNET]
    instances.compiled |= {"before": {"out/a.yaml": "was: 1\n"}, "zeta": {}}
    instances.write("dependencies/app/filter.jsonnet", "{ a: { kind: 'Changed' } }")
    instances.write("dependencies/before/filter.jsonnet", read_other % "/../../app/out/a.yaml")
    instances.write("dependencies/zeta/filter.jsonnet", read_other % "/../../before/out/a.yaml")

    filtered, _ = instances.run()

    assert filtered["app"]["out/a.yaml"] == "kind: Changed\n"
    assert filtered["before"]["out/saw.yaml"] == "kind: A\n"
    assert filtered["zeta"] == {"out/saw.yaml": "was: 1\n"}


def test_imports_are_looked_up_beside_then_in_root_own_libraries_and_vendor(
    instances: FilteredInstances,
) -> None:
    for name, folders in {
        "one": ("dependencies/app", "", "vendor"),
        "two": ("", "vendor"),
        "three": ("vendor",),
        "lib/commodore.libjsonnet": ("vendor",),
    }.items():
        for folder in folders:
            instances.write(f"{folder}/{name}" if folder else name, f"'{folder or 'root'}'")
    source = """{
      x: [import 'one', import 'two', import 'three',
          std.isObject(import 'lib/commodore.libjsonnet')],
    }"""
    instances.write("dependencies/app/filter.jsonnet", source)

    filtered, _ = instances.run()

    assert filtered["app"]["out/x.yaml"] == (
        "dependencies/app\n--- root\n--- vendor\n--- true\n...\n"
    )


def test_imports_of_compiled_files_come_from_this_run(instances: FilteredInstances) -> None:
    instances.write("compiled/app/out/a.yaml", "stale")
    instances.write(
        "dependencies/app/filter.jsonnet",
        "{ x: [importstr 'compiled/app/out/a.yaml', importstr '../../compiled/app/out/a.yaml'] }",
    )

    filtered, _ = instances.run()

    assert filtered["app"]["out/x.yaml"] == "|\n  kind: A\n--- |\n  kind: A\n"


def test_listing_gives_sorted_names_or_whole_paths(instances: FilteredInstances) -> None:
    instances.compiled["app"] |= {"out/.hidden": "", "out/B": "", "out/sub/c": ""}
    instances.write(
        "dependencies/app/filter.jsonnet",
        "local list = std.native('list_dir'); local out = std.extVar('output_path');"
        "{ names: { is: list(out, true) }, paths: { is: list(out, false) } }",
    )

    filtered, _ = instances.run()

    assert filtered["app"]["out/names.yaml"] == "is:\n  - .hidden\n  - B\n  - a.yaml\n"
    assert f"  - {instances.root}/compiled/app/out/B\n" in filtered["app"]["out/paths.yaml"]


def test_executable_files_stay_executable_and_filled_folders_are_not_empty(
    instances: FilteredInstances,
) -> None:
    tree = Tree(
        {PurePosixPath("run.yaml"): Entry(b"", executable=True)},
        frozenset({PurePosixPath("hollow"), PurePosixPath("void")}),
    )
    node = make_node("app", parameters={"commodore": {"postprocess": {"filters": [JSONNET]}}})
    instances.write("dependencies/app/filter.jsonnet", "{ '../run': 1, '../hollow/x': 2 }")
    checkout = make_dependency("app", instances.root / "dependencies/app")
    sources = make_sources(instances.root, Inventory({"app": node}), [checkout])

    filtered, _ = apply_filters(make_config(instances.root), {"app": tree}, sources)

    assert filtered["app"][PurePosixPath("run.yaml")] == Entry(b"1\n...\n", executable=True)
    assert filtered["app"].empty_folders == {PurePosixPath("void")}


INVALID = [
    pytest.param("nope", "it is not a mapping"),
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
    pytest.param({**HELM, "filterargs": None}, "missing key: filterargs"),
    pytest.param({**HELM, "path": "gone"}, "there is no folder gone"),
    pytest.param(
        {**HELM, "path": "out/a.yaml"},
        "there is no folder out/a.yaml",
    ),
]


@pytest.mark.parametrize(("definition", "reason"), INVALID)
def test_invalid_definition_is_skipped_with_a_notice(
    instances: FilteredInstances, definition: object, reason: str
) -> None:
    instances.filters = {"app": [definition, HELM]}
    instances.write("dependencies/app/filter.jsonnet", "{ never: 'run' }")
    instances.write("dependencies/app/folder/x", "")

    filtered, (notice,) = instances.run()

    assert filtered["app"] == {"out/a.yaml": "kind: A\nmetadata:\n  namespace: ns\n"}
    assert f" of app: {reason}" in notice.message
    assert notice.where == (
        "tenant/common.yml:7\ntarget app, parameters.commodore.postprocess.filters[0]"
    )
    assert notice.strict


@pytest.mark.parametrize(
    "wrong", [{"path": "gone"}, {"filter": "nope"}, {"filterargs": None}, {"type": "python"}]
)
def test_problems_of_a_disabled_filter_are_not_errors(
    instances: FilteredInstances, wrong: dict[str, object]
) -> None:
    instances.filters = {"app": [{**HELM, **wrong, "enabled": False}]}

    filtered, (notice,) = instances.run()

    assert filtered == {"app": {"out/a.yaml": "kind: A\n"}}
    assert "skipped filter" in notice.message
    assert not notice.strict


def test_definitions_are_checked_before_any_filter_runs(instances: FilteredInstances) -> None:
    instances.filters = {"app": [{**JSONNET, "path": "made"}, {**HELM, "path": "made"}]}
    instances.write("dependencies/app/filter.jsonnet", "{ x: { kind: 'X' } }")

    filtered, (notice,) = instances.run()

    assert filtered["app"]["made/x.yaml"] == "kind: X\n"
    assert "there is no folder made" in notice.message


def test_disabled_filter_is_logged(
    instances: FilteredInstances, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    instances.filters = {"app": [{**HELM, "enabled": False}]}

    filtered, notices = instances.run()

    assert filtered == {"app": {"out/a.yaml": "kind: A\n"}}
    assert notices == ()
    assert "filter helm_namespace of app is disabled" in caplog.text


@pytest.mark.parametrize("filters", ["nope", {"a": 1}])
def test_filters_that_are_not_a_list_are_an_error(
    instances: FilteredInstances, filters: object
) -> None:
    instances.filters = {"app": filters}

    error = failure_of(instances)

    assert str(error) == "parameters.commodore.postprocess.filters is not a list"
    assert error.where == "target app, parameters.commodore.postprocess.filters"


def test_jsonnet_filter_with_null_arguments_gets_none(instances: FilteredInstances) -> None:
    instances.filters = {"app": [{**JSONNET, "filterargs": None}]}
    instances.write("dependencies/app/filter.jsonnet", "{}")

    assert instances.run()[1] == ()


def test_arguments_may_have_any_name_but_component(instances: FilteredInstances) -> None:
    names = ["config", "inv", "instance", "filterid", "path", "work_dir", "jsonnet_func"]
    instances.filters = {
        "app": [{**JSONNET, "filterargs": dict.fromkeys([*names, "component"], "x")}]
    }
    instances.write(
        "dependencies/app/filter.jsonnet",
        "{ x: std.extVar('component'), y: std.extVar('path') }",
    )

    filtered, (notice,) = instances.run()

    assert filtered["app"]["out/x.yaml"] == "app\n...\n"
    assert filtered["app"]["out/y.yaml"] == "x\n...\n"
    assert "its argument component is not used" in notice.message


def test_argument_that_is_not_a_string_is_named(instances: FilteredInstances) -> None:
    instances.filters = {"app": [{**JSONNET, "filterargs": {"a": 1}}]}

    error = failure_of(instances)

    assert str(error) == "filter argument a must be a string, not int"
    assert "put quotes around it" in error.hint
    assert notes_of(error) == (
        "while filtering app with filter.jsonnet, defined at tenant/common.yml:7",
    )


@pytest.mark.parametrize("path", ["..", "../other", "/abs", "a/../../b"])
@pytest.mark.parametrize("definition", [JSONNET, HELM])
def test_path_outside_of_the_instance_is_an_error(
    instances: FilteredInstances, definition: dict[str, Any], path: str
) -> None:
    instances.filters = {"app": [{**definition, "path": path}]}

    error = failure_of(instances, "{ x: 1 }")

    assert f"{path!r} is writing outside its place" in str(error)
    assert notes_of(error) == (
        f"while filtering app with {definition['filter']}, defined at tenant/common.yml:7",
    )


@pytest.mark.parametrize("key", ["../../x", "/etc/x", "../../app-two/x"])
def test_key_outside_of_the_instance_is_an_error(instances: FilteredInstances, key: str) -> None:
    assert "is writing outside its place" in str(failure_of(instances, f'{{ "{key}": 1 }}'))


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("a\\u0000b", "holds a null character"),
        ("a\\nb", "holds a control character"),
        ("a\\u001b[2J", "holds a control character"),
        ("k" * 251, "is longer than 255 bytes"),
        ("ü" * 126, "is longer than 255 bytes"),
        ("/".join(["d" * 200] * 20), "is longer than 3840 bytes"),
    ],
)
def test_key_that_cannot_be_a_file_is_an_error(
    instances: FilteredInstances, key: str, problem: str
) -> None:
    error = failure_of(instances, f'{{ "{key}": 1 }}')

    assert f"cannot be a file of the output: its path {problem}" in str(error)
    assert str(error).isprintable()


@pytest.mark.parametrize("keys", [["a.yaml/x"], ["folder"], ["new", "new.yaml/x"]])
def test_key_in_the_way_of_another_file_is_an_error(
    instances: FilteredInstances, keys: list[str]
) -> None:
    instances.compiled["app"]["out/folder.yaml/x"] = ""

    assert "cannot write out/" in str(failure_of(instances, json.dumps(dict.fromkeys(keys, 1))))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a:\n  b: 2020-01-01\n", "2020-01-01 is a date", "2"),
        ("a:\n  - 1: 2\n", "the key 1 is not a string", "2"),
        ("a: 1\n---\nb: 2\n", "another document", "2"),
        ("a:\n  b: [\n", "not valid YAML", "3"),
    ],
)
def test_unusable_yaml_names_file_and_line_and_the_call(
    instances: FilteredInstances, text: str, message: str, line: str
) -> None:
    instances.compiled = {"app": {"out/a.yaml": text}}

    error = failure_of(instances, load())

    places = error.where.splitlines()
    file = f"{instances.root}/compiled/app/out/a.yaml"
    assert str(error).startswith(f'yaml_load("{file}"): ')
    assert message in str(error)
    assert places[0].startswith(f"{file}:{line}")
    assert places[-1].startswith(f"{instances.root}/dependencies/app/filter.jsonnet:1:")


def test_number_too_large_names_file_and_number(instances: FilteredInstances) -> None:
    instances.compiled = {"app": {"out/a.yaml": "x: 1\na: 9223372036854775808\n"}}

    error = failure_of(instances, load())

    assert "9223372036854775808 has more than 64 bits" in str(error)
    assert error.where.startswith(f"{instances.root}/compiled/app/out/a.yaml:2\n")


def test_file_that_is_not_there_is_named(instances: FilteredInstances) -> None:
    assert '/compiled/app/out/b.yaml"): there is no such file' in str(
        failure_of(instances, load("b.yaml"))
    )


@pytest.mark.parametrize(
    ("source", "kind"), [("[1]", "an array"), ("'x'", "a string"), ("null", "null")]
)
def test_result_must_be_an_object(instances: FilteredInstances, source: str, kind: str) -> None:
    error = failure_of(instances, source)

    assert str(error) == f"a filter must return an object, not {kind}"
    assert error.where == f"{instances.root}/dependencies/app/filter.jsonnet"
    assert notes_of(error) == (
        "while filtering app with filter.jsonnet, defined at tenant/common.yml:7",
    )


def test_library_of_kapitan_is_not_for_filters(instances: FilteredInstances) -> None:
    error = failure_of(instances, "{\n  x: import 'lib/kapitan.libjsonnet',\n}")

    assert "lib/kapitan.libjsonnet" in str(error)
    assert error.where.startswith(f"{instances.root}/dependencies/app/filter.jsonnet:2:")
    assert "exists only while compiling" in error.hint


def test_empty_import_is_skipped(instances: FilteredInstances) -> None:
    instances.write("dependencies/app/lib.libsonnet", "")

    error = failure_of(instances, "import 'lib.libsonnet'")

    assert str(error) == (
        f"import of lib.libsonnet: {instances.root}/dependencies/app/lib.libsonnet is empty"
    )


@pytest.mark.parametrize("name", ["folder", "compiled/app/out"])
def test_import_of_a_folder_is_an_error(instances: FilteredInstances, name: str) -> None:
    instances.write("dependencies/app/folder/x", "")
    instances.write("vendor/folder", "1")

    assert "is a folder, not a file" in str(failure_of(instances, f"import '{name}'"))


def test_failures_of_all_instances_come_at_once(instances: FilteredInstances) -> None:
    for name in ("app", "two"):
        instances.filters[name] = [JSONNET, {**HELM, "path": "../never-reached"}]
        instances.write(f"dependencies/{name}/filter.jsonnet", f"error 'in {name}'")
    instances.filters["fine"] = [HELM]
    instances.compiled |= {"two": {}, "fine": {"out/a.yaml": "kind: A\n"}}

    with pytest.raises(SeveralErrors) as caught:
        instances.run()

    assert [(str(error), notes_of(error)) for error in caught.value.errors] == [
        ("in app", ("while filtering app with filter.jsonnet, defined at tenant/common.yml:7",)),
        ("in two", ("while filtering two with filter.jsonnet, defined at tenant/common.yml:7",)),
    ]
