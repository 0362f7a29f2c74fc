"""Formats become sums where that is certain, and nobody can see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.captured import captured
from commodore_py.adapters.jsonnet.evaluate import JsonnetError, evaluate
from commodore_py.tuning.jsonnet import SharedEvaluator
from commodore_py.tuning.jsonnet_formats import with_sums

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "(local value_to_format_ = "
TEXT = "if std.type(value_to_format_) == 'string' then"


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("'%s' % [x]", "('' + (x))"),
        ("'a%s-%sb' % [x, y,]", "('a' + (x) + '-' + ( y) + 'b')"),
        ("a + '%s%%' % [x] + b", "a + ('' + (x) + '%') + b"),
        ("'%s' % x", f"{LOCAL}x; {TEXT} '' + value_to_format_ else '%s' % value_to_format_)"),
        ("'%s'\n% [\n x // y\n]", "(\n'' + (\n x // y\n))"),
        ("@'\\%s''' % [x]", "(@'\\' + (x) + @'''')"),
        ('|||\n  "%s\\\n   x\n||| % [y]', '(\n\n\n"\\"" + (y) + "\\\\\\n x\\n")'),
    ],
)
def test_a_format_becomes_a_sum(code: str, changed: str) -> None:
    assert with_sums(code.encode()).decode() == changed


@pytest.mark.parametrize(
    "code",
    [
        "'abc' % x",
        "'%5s' % x",
        "'%.2f' % x",
        "'%(a)s %s' % x",
        "'%(a b)s' % x",
        "'%s %s' % [x]",
        "'%s' % [x for x in y]\r",
        "'%s' % []",
        "'%s' % if x then y else z",
        "'%s' % -x",
        "'%s' % x.y tailstrict",
        "x % '%s' % y",
        "x * '%s' % y",
        "-'%s' % y",
        "x /* + */ % /* , */ '%s' % y",
        "f '%s' % y",
        "a %s' % y",
        "'%s' % [x",
        "'%s' % \"",
        "'\\%s' % [x]",
        "'\\u0025s%s' % [x]",
        "// '%s' % [x]",
        "local value_to_format_ = 1; '%s' % [x]",
        "local std = { type(x): 'string' }; '%s' % x",
        "'%s' % [x]\r\n",
        "[x, '%s' % @\"a]",
    ],
)
def test_what_is_not_certain_is_left_alone(code: str) -> None:
    content = code.encode()

    assert with_sums(content) is content


def test_errors_have_the_columns_of_the_code_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonnet"
    file.write_text("'%s and %s' % [1, 2] + error 'it'")

    with pytest.raises(JsonnetError, match="it") as failure:
        evaluate(file)

    assert f"{file}:1:24-34" in failure.value.where


def test_code_that_fails_traces_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file.jsonnet"
    file.write_text("std.trace('here', '') + '%s' % [error 'it']")
    traces: list[bytes] = []

    with pytest.raises(JsonnetError), captured(traces):
        evaluate(file)

    assert traces == [f"TRACE: {file}:1 here\n".encode()]
    assert capfd.readouterr().err.count("here") == 1


SHOWN = "'%s' % [std.extVar('target')]"
TEXTS = {
    "a text only": ("importstr 'shown.libsonnet'", SHOWN),
    "code only": ("import 'shown.libsonnet'", "web"),
    "a text, then code": (
        "[importstr 'shown.libsonnet', import 'shown.libsonnet']",
        [SHOWN, "web"],
    ),
    "code, then a text elsewhere": (
        "[import 'shown.libsonnet', import 'reads.libsonnet']",
        ["web", SHOWN],
    ),
    "a name that is not plain": ("importstr @'shown.libsonnet'", SHOWN),
    "behind a comment": ("importstr /* x */ 'shown.libsonnet'", SHOWN),
}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("code", "value"), TEXTS.values(), ids=TEXTS)
def test_texts_are_imported_as_they_are(
    tmp_path: Path, code: str, value: object, *, shared: bool
) -> None:
    (tmp_path / "shown.libsonnet").write_text(SHOWN)
    (tmp_path / "reads.libsonnet").write_text("importstr 'shown.libsonnet'")
    evaluator = SharedEvaluator() if shared else None
    first, second = tmp_path / "first.jsonnet", tmp_path / "second.jsonnet"
    first.write_text("import 'shown.libsonnet'")
    second.write_text(code)

    found = [
        json.loads(evaluate(file, ext_vars={"target": "web"}, evaluator=evaluator))
        for file in (first, second, first, second)
    ]

    assert found == ["web", value, "web", value]


def test_without_tuning_code_is_evaluated_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file.jsonnet"
    file.write_text("import 'lib.libsonnet'")
    read: list[bytes] = []

    def library(_path: str) -> bytes:
        read.append(b"'%s' % [1]")
        return read[-1]

    monkeypatch.setenv("COMMODORE_TUNING", "off")
    with_sums.cache_clear()

    assert evaluate(file, read=library) == '"1"\n'
    assert with_sums.cache_info().misses == 0


def test_a_recursion_through_formats_may_be_deeper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file.jsonnet"
    file.write_text("local f(n) = if n == 0 then 'x' else '%s-' % [f(n - 1)]; f(100)")
    assert evaluate(file) == f'"x{"-" * 100}"\n'
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    with pytest.raises(JsonnetError, match="max stack frames exceeded"):
        evaluate(file)
