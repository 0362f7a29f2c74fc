"""Class files come back from their packed form as they were read."""

from __future__ import annotations

import marshal
from typing import Any

import pytest

from commodore_py.inventory.engine.reader import ClassFile, read
from commodore_py.inventory.engine.stored_classes import pack, unpack
from commodore_py.inventory.engine.values import Map, Sequence, Stack, Token
from tests.differential.hierarchies import hierarchy


def shape(value: Any) -> Any:  # noqa: ANN401 - of a hierarchy
    """A value in words, types and marks included."""
    match value:
        case Map():
            items = [(shape(key), shape(item)) for key, item in value.items.items()]
            return "map", items, set(value.constant), set(value.overriding), value.static
        case Sequence():
            return "sequence", [shape(item) for item in value.items]
        case Stack():
            return "stack", [shape(layer) for layer in value.layers]
        case Token():
            return "token", value.text, value.problem, len(value.parts)
        case list():
            return [shape(item) for item in value]
        case _:
            return type(value).__name__, repr(value)


def there_and_back(content: ClassFile) -> ClassFile | None:
    packed = pack(content)
    return None if packed is None else unpack(marshal.loads(marshal.dumps(packed)))  # noqa: S302 - ours


def test_generated_class_files() -> None:
    packed = 0
    for number in range(40):
        for name, file in hierarchy(f"packed:{number}").files.items():
            try:
                content = read(file.written(), name=name)
            except Exception:  # noqa: BLE001, S112 - what cannot be read is not packed
                continue
            again = there_and_back(content)
            if again is not None:
                packed += 1
                assert (again.classes, again.applications) == (
                    content.classes,
                    content.applications,
                )
                assert again.texts == content.texts
                assert shape(again.parameters) == shape(content.parameters)
    assert packed > 100


@pytest.mark.parametrize(
    "text",
    [
        "parameters: {a: {1: b}}",
        "parameters: {a: {true: b}}",
        "parameters: {a: .nan}",
        "parameters: {a: -0.0}",
        "parameter: {a: b}",
        "parameters: {a: &x [&y [1, 1, 1, 1, 1, 1, 1, 1], *y, *y, *y, *y, *y, *y, *y, *y]}".replace(
            "[1, 1", "[" + "1, " * 9_000 + "1, 1"
        ),
    ],
    ids=["number as key", "bool as key", "nan", "minus zero", "ignored key", "large by aliases"],
)
def test_what_would_not_come_back_as_it_was(text: str) -> None:
    assert pack(read(text.encode(), name="a class")) is None


def test_an_ordinary_class() -> None:
    text = b"classes: [.b]\nparameters: {=a: {~b: '${c}', d: [1, 2.5, null, '${c}x']}, c: x}\n"

    again = there_and_back(read(text, name="a class"))

    assert again is not None
    assert again.classes == (".b",)
    assert shape(again.parameters) == shape(read(text, name="a class").parameters)
