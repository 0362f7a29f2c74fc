"""Secrets are masked, references to them are shown."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.secrets import masked
from tests.support.kube_objects import make_object

REFERENCE = "?{vaultkv:t-a/c-b/shop/password}"
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("field", ["data", "stringData"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("hunter2", "***"),
        (encoded("hunter2!"), "***"),
        (12345, "***"),
        ("", ""),
        (REFERENCE, REFERENCE),
        (encoded(REFERENCE), REFERENCE),
        (f"u:{REFERENCE}@h", f"***{REFERENCE}***"),
        ({"deep": ["hunter2"]}, {"deep": ["***"]}),
    ],
)
def test_values_of_a_secret(field: str, value: object, shown: object) -> None:
    contents: list[dict[str, Any]] = [{field: {}}, {field: {"a": value}}]
    old, new = (make_object("Secret", **content) for content in contents)

    for before, after, kept in ((old, new, "new"), (new, old, "old")):
        (change,) = map(masked, object_changes([before], [after]))
        assert getattr(change.fields[0], kept) == shown


def test_all_of_it_at_once() -> None:
    (change,) = map(
        masked,
        object_changes([make_object("Secret")], [make_object("Secret", data={"a": "hunter2"})]),
    )

    assert change.fields[0].new == {"a": "***"}


@pytest.mark.parametrize("annotations", [{LAST: "hunter2"}, {LAST: "hunter2", "other": "kept"}])
def test_what_kubectl_notes(annotations: dict[str, str]) -> None:
    new = make_object("Secret", metadata={"annotations": annotations})

    for old in (make_object("Secret"), make_object("Secret", metadata={"annotations": {}})):
        (change,) = map(masked, object_changes([old], [new]))
        assert "hunter2" not in repr(change)
        assert ("kept" in repr(change)) is ("other" in annotations)


def test_nothing_of_a_secret_is_left_in_what_is_shown() -> None:
    def holding(name: str, value: str) -> Any:  # noqa: ANN401 - any content
        data = dict.fromkeys("abc", "hunter2")
        return make_object("Secret", name, data={**data, "d": value}, stringData=data)

    old, new = [holding("x", "1"), holding("z", "1")], [holding("x", "2"), holding("y", "2")]

    changes = tuple(map(masked, object_changes(old, new)))

    assert [change.what for change in changes] == ["renamed", "changed"]
    assert "hunter2" not in repr(changes)


def test_other_objects_are_shown_as_they_are() -> None:
    (change,) = map(masked, object_changes([make_object()], [make_object(data={"a": "b"})]))

    assert change.fields[0].new == {"a": "b"}
