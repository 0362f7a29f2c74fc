"""Files of one target in one go: the same values as one by one, or none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.overlay import Overlay
from commodore_py.compiler.ahead import evaluated_ahead, starts_a_run
from commodore_py.compiler.entries import Entry
from commodore_py.compiler.lookup import Lookup
from commodore_py.model import Entry as File
from commodore_py.model import Tree

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Component

PLAIN = "{ a: import 'shared.libsonnet', of: std.extVar('target'), file: std.thisFile }"
KAPITAN = "local kap = import 'lib/kapitan.libjsonnet'; "


def entry(*paths: str, input_type: str = "jsonnet") -> Entry:
    return Entry("web", 0, {"input_type": input_type, "input_paths": list(paths)})


def lookup(folder: Path) -> Lookup:
    files = Overlay(folder / "compiled", folder / "catalog", {"web": Tree()})
    return Lookup((folder,), files)


def write(folder: Path, **files: str) -> None:
    (folder / "shared.libsonnet").write_text("{ n: 1.5, list: [1, 'x', null] }")
    for name, text in files.items():
        (folder / f"{name}.jsonnet").write_text(text, newline="")


def one_by_one(component: Component, folder: Path, *names: str) -> dict[Path, object]:
    return {
        folder / name: json.loads(component.evaluation.run(folder / name, lookup(folder)))
        for name in names
    }


def test_values_are_those_of_one_by_one(component: Component, tmp_path: Path) -> None:
    write(tmp_path, main=PLAIN, app=PLAIN, third="'text'")
    entries = [entry("main.jsonnet", "third.jsonnet"), entry("app.jsonnet")]

    ahead = evaluated_ahead(entries, 0, lookup(tmp_path), component.evaluation)

    assert ahead.among({}) == one_by_one(
        component, tmp_path, "main.jsonnet", "third.jsonnet", "app.jsonnet"
    )


def test_what_they_share_is_evaluated_once(
    component: Component, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, main="import 'told.libsonnet'", app="import 'told.libsonnet'")
    (tmp_path / "told.libsonnet").write_text("std.trace('looked', 1)")
    entries = [entry("main.jsonnet"), entry("app.jsonnet")]

    evaluated_ahead(entries, 0, lookup(tmp_path), component.evaluation)

    assert capfd.readouterr().err.count("looked") == 1


@pytest.mark.parametrize(
    "second",
    [
        "error 'no'",
        "import 'nowhere.libsonnet'",
        "function(x=1) { a: x }",
        "{ a: import 'compiled/web/out.json' }",
        KAPITAN + "{ a: kap.file_exists('compiled/web/out.json') }",
        KAPITAN + "{ a: kap.file_exists('compiled/other/out.json') }",
        KAPITAN + "{ a: kap.file_exists('nowhere/../compiled/web/out.json') }",
        KAPITAN + "{ a: kap.dir_files_list('compiled/web') }",
        "{ a: |||\r\n  text\r\n||| }",
        "",
    ],
)
def test_what_could_end_differently_is_left_for_its_turn(
    component: Component, tmp_path: Path, second: str
) -> None:
    write(tmp_path, main=PLAIN, app=second)
    entries = [entry("main.jsonnet"), entry("app.jsonnet")]

    ahead = evaluated_ahead(entries, 0, lookup(tmp_path), component.evaluation)

    assert ahead.among({}) == {}


def test_files_that_earlier_entries_write_elsewhere_end_it(
    component: Component, tmp_path: Path
) -> None:
    write(tmp_path, main=PLAIN, app=PLAIN)
    entries = [entry("main.jsonnet"), entry("app.jsonnet")]

    ahead = evaluated_ahead(entries, 0, lookup(tmp_path), component.evaluation)

    assert ahead.among({tmp_path / "shared.libsonnet": File(b"{}")}) == {}


@pytest.mark.parametrize(
    "entries",
    [
        [entry("main.jsonnet")],
        [entry("main.jsonnet"), entry("app.jsonnet", input_type="copy")],
        [entry("main.jsonnet"), entry("x", input_type="remove"), entry("app.jsonnet")],
        [entry("main.jsonnet"), entry("main.jsonnet")],
        [entry("nowhere.jsonnet"), entry("main.jsonnet")],
    ],
)
def test_one_file_alone_waits_for_its_turn(
    component: Component, tmp_path: Path, entries: list[Entry]
) -> None:
    write(tmp_path, main=PLAIN, app=PLAIN)

    assert evaluated_ahead(entries, 0, lookup(tmp_path), component.evaluation).among({}) == {}


def test_a_run_begins_after_anything_else() -> None:
    kinds = ("jsonnet", "jsonnet", "copy", "jsonnet", "copy")
    entries = [entry("x", input_type=kind) for kind in kinds]

    assert [starts_a_run(entries, index) for index in range(5)] == [True, False, False, True, False]
