"""Evaluating Jsonnet: natives, and what golden cases of its files cannot show."""

from __future__ import annotations

import datetime as dt
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.jsonnet.evaluate import Native, evaluate
from commodore_py.adapters.jsonnet.values import JsonnetError, to_jsonnet
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def value_of(tmp_path: Path, source: str | bytes, **options: Any) -> object:  # noqa: ANN401 - passed on
    content = source.encode() if isinstance(source, str) else source
    options.setdefault("read", Reach.anywhere().content)
    return json.loads(evaluate(tmp_path / "main.jsonnet", content, **options))


def failure_of(tmp_path: Path, source: str | bytes, **options: Any) -> JsonnetError:  # noqa: ANN401 - passed on
    with pytest.raises(JsonnetError) as caught:
        value_of(tmp_path, source, **options)
    return caught.value


def calling(call: Callable[..., object], *parameters: str) -> dict[str, Native]:
    return {"it": Native(parameters, call)}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_import_of_folder_is_error(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    write(tmp_path / "later/x", "1")

    error = failure_of(tmp_path, "import 'x'", import_folders=(tmp_path / "later",))

    assert str(error).startswith(f"cannot import {tmp_path / 'x'}: ")


def test_reading_can_be_replaced(tmp_path: Path) -> None:
    looked_up: list[str] = []

    def read(path: str) -> bytes | None:
        looked_up.append(path)
        return b"'made up'" if path.endswith("/two/x") else None

    folders = (tmp_path / "one", tmp_path / "two")

    assert value_of(tmp_path, "import 'x'", import_folders=folders, read=read) == "made up"
    assert looked_up == [f"{tmp_path}/x", f"{tmp_path}/one/x", f"{tmp_path}/two/x"]


def test_missing_file_is_error(tmp_path: Path) -> None:
    with pytest.raises(JsonnetError) as caught:
        evaluate(tmp_path / "none.jsonnet", None, read=lambda _: None)

    assert caught.value.where == str(tmp_path / "none.jsonnet")


@pytest.mark.parametrize("content", [b"\xff", b"1 \0"])
def test_binary_file_is_error(tmp_path: Path, content: bytes) -> None:
    assert failure_of(tmp_path, content).where == str(tmp_path / "main.jsonnet")


def test_error_in_native_keeps_message_place_and_hint(tmp_path: Path) -> None:
    def fail(name: str, flag: object) -> object:
        raise CommodoreError(f"no {name} {flag}", where="there:7", hint="try again")

    error = failure_of(
        tmp_path, "std.native('it')('x', null)", natives=calling(fail, "name", "flag")
    )

    assert str(error) == 'it("x", null): no x None'
    assert error.where == f"there:7\n{tmp_path}/main.jsonnet:1:1-28"
    assert error.hint == "try again"


def test_unexpected_exception_in_native_is_raised(tmp_path: Path) -> None:
    def fail() -> object:
        raise AttributeError("our bug")

    with pytest.raises(AttributeError, match="our bug"):
        value_of(tmp_path, "std.native('it')()", natives=calling(fail))


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (9223372036854775807, 9223372036854775808),
        (2**53 + 1, 2**53),
        (1e100, int(1e100)),
        ({"a": [None, True, (1.5, "x")]}, {"a": [None, True, [1.5, "x"]]}),
        (b"hi", [104, 105]),
    ],
)
def test_native_values_are_converted(tmp_path: Path, value: object, result: object) -> None:
    assert value_of(tmp_path, "std.native('it')()", natives=calling(lambda: value)) == result


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2**63, "more than 64 bits"),
        (-(2**63) - 1, "more than 64 bits"),
        (float("inf"), "not a finite number"),
        (float("nan"), "not a finite number"),
        (dt.date(2020, 1, 1), "2020-01-01 is a date"),
        ({1, 2}, "is a set"),
        ("a\0b", "null character"),
        ("\ud800", "half a surrogate pair"),
        ({1: 2}, "the key 1 is not a string"),
    ],
)
def test_unsupported_native_value_is_error_with_path(
    tmp_path: Path, value: object, message: str
) -> None:
    error = failure_of(tmp_path, "std.native('it')()", natives=calling(lambda: {"a": [value]}))

    assert message in str(error)
    assert error.where.startswith("value at a.0")


def test_numbers_are_converted_to_doubles() -> None:
    assert repr(to_jsonnet({"a": 1, "b": [2**53 + 1]})) == "{'a': 1.0, 'b': [9007199254740992.0]}"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal")
def test_null_arguments_take_no_references_away(tmp_path: Path) -> None:
    before = sys.getrefcount(None)

    value_of(
        tmp_path,
        "std.foldl(function(a, b) a + std.native('it')(null), std.range(1, 1000), 0)",
        natives=calling(lambda _: 1, "x"),
    )

    assert sys.getrefcount(None) > before - 500
