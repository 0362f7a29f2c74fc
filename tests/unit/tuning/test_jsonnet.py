"""A shared evaluator gives every file the value and the errors that it has alone."""

from __future__ import annotations

import functools
import json
import weakref
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError, Native, evaluate
from commodore_py.tuning import StaleImport
from commodore_py.tuning.jsonnet import SharedEvaluator

if TYPE_CHECKING:
    from pathlib import Path

RETURNED = {
    "text": "ünï",
    "true": True,
    "whole": 3,
    "float": -0.5,
    "none": None,
    "list": [1, [], {"a": [None]}],
    "empty": "",
}
NATIVES = {
    "given": Native(("a", "b", "c", "d"), lambda *given: [repr(one) for one in given]),
    "returned": Native((), lambda: RETURNED),
    "failing": Native((), lambda: 1 / 0),
    "unfit": Native((), lambda: {1: 2}),
}
LIBRARY = "{ of: std.extVar('target'), n: std.native('given')('x', null, true, 1.5) }"


def outcome(file: Path, evaluator: SharedEvaluator | None, target: str = "web") -> object:
    try:
        text = evaluate(file, ext_vars={"target": target}, natives=NATIVES, evaluator=evaluator)
    except JsonnetError as error:
        return str(error), error.where, error.hint
    except ZeroDivisionError as error:
        return repr(error)
    return json.loads(text)


def test_the_library_exports_its_functions() -> None:
    assert SharedEvaluator().usable()


@pytest.mark.parametrize(
    "code",
    [
        "{ a: import 'lib.libsonnet', file: std.thisFile, text: importstr 'lib.libsonnet' }",
        "importbin 'bytes'",
        "std.native('returned')()",
        "std.native('given')('', 'ünï 😀', false, -1e300)",
        "std.native('given')([1], 2, 3, 4)",
        "std.native('given')({}, 2, 3, 4)",
        "std.native('failing')()",
        "std.native('unfit')()",
        "std.native('unknown')()",
        "std.extVar('other')",
        "error 'it ' + std.extVar('target')",
        "{ a: { b: error 'deep' } }",
        "import 'nowhere.libsonnet'",
        "import 'broken.libsonnet'",
        "import 'empty.libsonnet'",
        "{ a: 1, ",
        "local f(n) = f(n + 1) + 1; f(0)",
        "local f(n) = if n == 0 then error 'far' else f(n - 1) + 1; f(40)",
        "'text'",
    ],
)
def test_a_file_is_as_it_is_alone(tmp_path: Path, code: str) -> None:
    evaluator = SharedEvaluator()
    file = tmp_path / "file.jsonnet"
    file.write_text(code)
    (tmp_path / "lib.libsonnet").write_text(LIBRARY)
    (tmp_path / "broken.libsonnet").write_text("{ a: }")
    (tmp_path / "empty.libsonnet").touch()
    (tmp_path / "bytes").write_bytes(b"\xff\x00\x01")
    other = tmp_path / "other.jsonnet"
    other.write_text("import 'lib.libsonnet'")

    apart = outcome(file, None)
    before = outcome(other, evaluator, "another")

    assert [outcome(file, evaluator), outcome(file, evaluator)] == [apart, apart]
    assert outcome(other, evaluator, "another") == before


def test_values_of_imports_are_forgotten(tmp_path: Path) -> None:
    evaluator = SharedEvaluator()
    file = tmp_path / "file.jsonnet"
    file.write_text("(import 'lib.libsonnet').of")
    (tmp_path / "lib.libsonnet").write_text(LIBRARY)

    assert [outcome(file, evaluator, name) for name in ("one", "two")] == ["one", "two"]


def test_an_import_that_changed_is_reported(tmp_path: Path) -> None:
    evaluator = SharedEvaluator()
    file, library = tmp_path / "file.jsonnet", tmp_path / "lib.libsonnet"
    file.write_text("import 'lib.libsonnet'")
    library.write_text("1")
    outcome(file, evaluator)
    library.write_text("2")

    with pytest.raises(StaleImport, match=str(library)):
        outcome(file, evaluator)

    assert outcome(file, evaluator) == 2


def test_who_retires_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    evaluator = SharedEvaluator()
    file, library = tmp_path / "file.jsonnet", tmp_path / "lib.libsonnet"
    file.write_text("std.native('retire')(0) + import 'lib.libsonnet'")

    def retire(number: object) -> object:
        evaluator.retire()
        return number

    natives = {"retire": Native(("number",), retire)}
    values = []
    for number in ("1", "2"):
        library.write_text(number)
        values.append(evaluate(file, ext_vars={"x": ""}, natives=natives, evaluator=evaluator))

    assert values == ["1\n", "2\n"]


def test_memory_is_released_without_cycle_collection(tmp_path: Path) -> None:
    evaluator = SharedEvaluator()
    file = tmp_path / "file.jsonnet"
    file.write_text("std.native('of')()")
    natives = {"of": Native((), functools.partial(repr, evaluator))}
    evaluate(file, ext_vars={"x": ""}, natives=natives, evaluator=evaluator)
    left = weakref.ref(evaluator)

    del evaluator, natives

    assert left() is None


def test_many_files_are_evaluated_with_one_library(tmp_path: Path) -> None:
    evaluator = SharedEvaluator()
    (tmp_path / "lib.libsonnet").write_text("{ of: std.extVar('target') }")
    file = tmp_path / "file.jsonnet"
    file.write_text("(import 'lib.libsonnet').of")

    names = [f"t{number}" for number in range(100)]

    assert [outcome(file, evaluator, name) for name in names] == names
