"""Which object is which, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.values import canonical
from tests.support.kube_objects import OBJECTS, after, make_object

if TYPE_CHECKING:
    from random import Random

    from commodore_py.manifests.objects import KubeObject

_MANY = st.lists(OBJECTS, max_size=5, unique_by=lambda kube_object: kube_object.id)


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
