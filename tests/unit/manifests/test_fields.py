"""Changes of fields lead from one value to the other; golden cases show which they are."""

from __future__ import annotations

from hypothesis import given

from commodore_py.manifests.fields import field_changes
from commodore_py.manifests.values import same
from tests.support.kube_objects import VALUES, applied


@given(VALUES, VALUES)
def test_changes_lead_from_the_old_to_the_new_value(old: object, new: object) -> None:
    changes = field_changes(old, new)

    assert bool(changes) == (not same(old, new))
    assert same(applied(old, changes), new), changes
    assert field_changes(old, old) == ()
