"""Changes of fields lead from one value to the other; golden cases show which they are."""

from __future__ import annotations

from hypothesis import given

from commodore_py.manifests.fields import field_changes
from commodore_py.manifests.values import same
from tests.support.kube_objects import VALUES, applied


@given(VALUES)
def test_a_value_does_not_differ_from_itself(value: object) -> None:
    assert field_changes(value, value) == ()


@given(VALUES, VALUES)
def test_the_changes_lead_from_the_old_to_the_new_value(old: object, new: object) -> None:
    result = applied(old, field_changes(old, new))

    assert same(result, new), (result, new)


@given(VALUES, VALUES)
def test_what_differs_has_changes(old: object, new: object) -> None:
    assert bool(field_changes(old, new)) == (not same(old, new))
