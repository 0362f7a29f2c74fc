"""Which object is which, and what becomes of it."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.documents import find_objects
from commodore_py.manifests.values import canonical
from tests.support.kube_objects import OBJECTS, after, make_object

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

    from commodore_py.manifests.objects import KubeObject, ObjectId

_MANY = st.lists(OBJECTS, max_size=5)


@given(_MANY, _MANY, st.randoms(use_true_random=False))
def test_changes_lead_from_the_old_to_the_new_objects_in_any_order(
    old: list[KubeObject], new: list[KubeObject], random: Random
) -> None:
    changes = object_changes(old, new)

    result = after(old, changes)

    wanted = sorted(repr(canonical(one.content)) for one in new)
    assert sorted(repr(canonical(one)) for one in result) == wanted
    assert object_changes(old, old) == ()
    for side in (old, new):
        random.shuffle(side)
    assert object_changes(old, new) == changes


def test_moved_object_is_not_a_change() -> None:
    assert object_changes([make_object(file="a.yaml")], [make_object(file="b.yaml")]) == ()


DATA: dict[str, Any] = {"data": {"a": "1", "b": "one", "c": "3", "d": "4", "e": "5"}}


def _with(**data: str) -> dict[str, Any]:
    return {"data": {**DATA["data"], **data}}


def test_added_and_removed_copies_have_no_grade() -> None:
    twice = [make_object(file="a.yaml", **DATA), make_object(file="b.yaml", **_with(a="x"))]

    removed = object_changes(twice, twice[1:])
    came = object_changes(twice[:1], twice)

    assert [(one.what, one.grade, one.file) for one in (*removed, *came)] == [
        ("copy removed", "none", "a.yaml"),
        ("copy added", "none", "b.yaml"),
    ]


def test_copies_in_any_order_give_one_answer() -> None:
    old = [make_object(data={"a": a}) for a in "12"]
    new = [make_object(data={"a": a}) for a in "234"]

    answers = {
        tuple((one.what, repr(one.fields)) for one in object_changes(some, others))
        for some in permutations(old)
        for others in permutations(new)
    }

    assert len(answers) == 1
    assert [what for what, _ in next(iter(answers))] == ["changed", "copy added"]


def test_object_present_elsewhere_is_not_deleted() -> None:
    claim = make_object("PersistentVolumeClaim")
    text = b"kind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {namespace: ns, name: one}\n"

    def elsewhere(wanted: Collection[ObjectId]) -> Collection[ObjectId]:
        return find_objects([b"kind: PersistentVolumeClaim # of another name: one\n", text], wanted)

    (change,) = object_changes([claim], [], elsewhere)

    assert (change.what, change.grade) == ("copy removed", "none")
    assert object_changes([claim], [])[0].grade == "data-loss"
