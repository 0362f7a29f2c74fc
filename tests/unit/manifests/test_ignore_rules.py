"""Rules that hide changes: which are valid, and which paths their patterns cover."""

from __future__ import annotations

import pytest

from commodore_py.adapters.time_limits import TookTooLong
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.ignore_rules import rules_from, without_ignored
from commodore_py.manifests.paths import BadPattern, covers, parse_path
from tests.support.kube_objects import make_object
from tests.support.tables import each


@each(
    ("pattern", "covered"),
    [
        ("spec.containers[name=app].image", True),
        ("spec.containers[*].image", True),
        ("spec.containers[name=a*].im*", True),
        ("spec.containers", True),
        ("**.image", True),
        ("**.containers[*]", True),
        ("spec.**.image", True),
        ("spec.containers.image", False),
        ("spec.*.image", False),
        ("containers[*].image", False),
        ("spec.containers[name=b].image", False),
        ("spec.containers[*].image.tag", False),
        ('spec."containers"[*]."image"', True),
    ],
)
def test_patterns_cover_paths_and_their_children(pattern: str, covered: bool) -> None:
    old, new = (
        make_object("X", spec={"containers": [{"name": "app", "image": image}]}) for image in "12"
    )
    (change,) = object_changes([old], [new])

    assert covers(pattern, change.fields[0].path) is covered


@each("pattern", ["", ".a", "a..b", "a.", "a]", 'a"b', '"a'])
def test_invalid_path_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        parse_path(pattern)


@pytest.mark.long
def test_endless_value_pattern_is_an_error() -> None:
    old, new = make_object(data={"a": "a" * 50}), make_object(data={"a": "a" * 51})

    rules, _ = rules_from({"mine": {"paths": ["data.a"], "values": "(a+)+b"}})
    changes = object_changes([old], [new])

    with pytest.raises(TookTooLong, match="of an ignore rule took more than 5 seconds"):
        without_ignored(changes, rules)
