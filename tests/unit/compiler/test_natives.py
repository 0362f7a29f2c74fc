"""Calls of natives while compiling: the table, and what one call cannot show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.values import JsonnetError
from tests.support.calls import COMPILING, failures, values
from tests.support.tables import each

if TYPE_CHECKING:
    from tests.support.jsonnet_component import Component

TABLES = COMPILING["natives"], COMPILING["library"], COMPILING["ours"]


def failure_of(component: Component, expression: str) -> JsonnetError:
    with pytest.raises(JsonnetError) as caught:
        component.run(expression)
    return caught.value


@each(("call", "value"), values(*TABLES).items())
def test_native_call_returns_value(call: str, value: object, component: Component) -> None:
    assert json.loads(component.run(call)) == value


@each(("call", "reason"), failures(*TABLES).items())
def test_failing_native_call_reports_reason_and_location(
    call: str, reason: str, component: Component
) -> None:
    error = failure_of(component, call)

    assert reason in str(error)
    assert "case.jsonnet:" in error.where


@each(
    ("call", "place"),
    [
        ("kap.yaml_load('app/date.yaml')", "app/date.yaml:3"),
        ("kap.yaml_load_stream('app/date.yaml')", "app/date.yaml:3"),
        ("native('yaml_load_all')('app/date.yaml')", "app/date.yaml:3"),
    ],
)
def test_date_in_yaml_reports_line_and_suggests_quotes(
    call: str, place: str, component: Component
) -> None:
    error = failure_of(component, call)

    assert "2020-01-01" in str(error)
    assert f"{place}\n" in error.where
    assert "quotes" in error.hint


@each(
    ("call", "place"),
    [
        ("kap.yaml_load('app/broken.yaml')", "app/broken.yaml:2:1"),
        ("kap.yaml_load('app/latin1.yaml')", "app/latin1.yaml:2"),
        ("kap.yaml_load('app/set.yaml')", "app/set.yaml:2"),
        ("kap.yaml_load('app/itself.yaml')", "app/itself.yaml:2:4"),
        ("kap.jinja2_template('app/missing.j2', {})", "app/missing.j2:2"),
        ("kap.jinja2_template('app/broken.j2', {})", "app/broken.j2:2"),
    ],
)
def test_invalid_file_read_by_native_reports_line(
    call: str, place: str, component: Component
) -> None:
    assert f"/{place}\n" in f"{failure_of(component, call).where}\n"


def test_missing_file_lists_search_path(component: Component) -> None:
    hint = failure_of(component, "kap.file_read('app/gone')").hint

    assert all(str(folder) in hint for folder in component.search_paths)


def test_unknown_target_suggests_similar(component: Component) -> None:
    assert failure_of(component, "kap.inventory('man-db')").hint == "did you mean main-db?"


def test_files_in_folder_are_sorted(component: Component) -> None:
    listed = json.loads(component.run("kap.dir_files_list('app')"))

    assert listed == sorted(listed)


def test_file_with_null_byte_is_an_error(component: Component) -> None:
    (component.search_paths[0] / "zero.txt").write_bytes(b"a\0b")

    error = failure_of(component, "kap.file_read('zero.txt')")

    assert "null byte" in str(error)
    assert error.where.startswith(str(component.search_paths[0] / "zero.txt"))


def test_changed_file_is_read_again(component: Component) -> None:
    file = component.search_paths[0] / "changing.yaml"

    seen = []
    for text in ("a: 1\n", "a: 2\n"):
        file.write_text(text)
        seen.append(json.loads(component.run("native('yaml_load_all')('changing.yaml')")))

    assert seen == [[{"a": 1}], [{"a": 2}]]


def test_missing_import_lists_search_path(component: Component) -> None:
    error = failure_of(component, "\n\nimport 'lib/gone.libsonnet'")

    assert "import of lib/gone.libsonnet" in str(error)
    assert "case.jsonnet:6" in error.where
    assert all(f"{folder}/lib/gone.libsonnet" in error.hint for folder in component.search_paths)


def test_empty_import_names_importing_file(component: Component) -> None:
    empty = component.search_paths[0] / "nothing.libsonnet"
    empty.write_bytes(b"")

    error = failure_of(component, "import 'nothing.libsonnet'")

    assert str(empty) in f"{error}\n{error.where}"
    assert "case.jsonnet:4" in error.where


def test_imports_are_read_as_text(component: Component) -> None:
    folder = component.search_paths[0]
    (folder / "dos.txt").write_bytes("ä\r\nb\rc".encode())
    (folder / "dos.libsonnet").write_bytes(b"|||\r\n  a\r\n  b\r\n|||\r\n")
    (folder / "other.bin").write_bytes(b"\xff\r\n")

    found = component.run(
        "[importstr 'dos.txt', import 'dos.libsonnet', importbin 'dos.txt', importbin 'other.bin']"
    )

    assert json.loads(found) == [
        "ä\nb\nc",
        "a\nb\n",
        list("ä\nb\nc".encode()),
        list(b"\xff\r\n"),
    ]


def test_kapitans_library_cannot_be_replaced_but_others_can(component: Component) -> None:
    lib = component.search_paths[0] / "lib"
    lib.mkdir(exist_ok=True)
    for name in ("kapitan", "kube"):
        (lib / f"{name}.libjsonnet").write_text("'mine'")

    found = component.run("[std.type(kap), import 'lib/kube.libjsonnet']")

    assert json.loads(found) == ["object", "mine"]
