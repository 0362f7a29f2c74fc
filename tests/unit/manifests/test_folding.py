"""Changes that clusters have in common."""

from __future__ import annotations

from typing import Any

from commodore_py.manifests.diff import ObjectChange, object_changes
from commodore_py.manifests.folding import folded_over_clusters
from tests.support.kube_objects import make_object
from tests.support.tables import each

DATA = {"a": "1", "b": "one", "c": "3", "d": "4", "e": "5", "f": "6"}


def renamed(old: str, **data: str) -> tuple[ObjectChange, ...]:
    """The change of an object that is named `new` now, with other data."""
    before: dict[str, Any] = {"name": old, "data": DATA}
    after: dict[str, Any] = {"name": "new", "data": {**DATA, **data}}
    changes = object_changes([make_object(**before)], [make_object(**after)])
    assert [change.what for change in changes] == ["renamed"]
    return changes


@each(
    ("other", "common"),
    [
        (renamed("old", a="x"), ["renamed"]),
        (renamed("older", a="x"), []),
        (renamed("old", a="y"), []),
        (renamed("old", b="x"), []),
        (renamed("old"), []),
    ],
)
def test_renamed_objects_are_common_if_their_fields_are(
    other: tuple[ObjectChange, ...], common: list[str]
) -> None:
    clusters = {"c-one": renamed("old", a="x"), "c-two": other}

    shared, own = folded_over_clusters(clusters)

    assert [one.what for one in shared] == common
    assert own == (dict.fromkeys(clusters, ()) if common else clusters)
