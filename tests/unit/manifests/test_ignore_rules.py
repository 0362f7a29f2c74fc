"""Rules hide what they name, and count it."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.ignore_rules import BUILT_IN, rules_from
from commodore_py.manifests.ignored import Hidden, without_ignored
from commodore_py.manifests.paths import BadPattern, covers, parse_path, written
from tests.support.kube_objects import make_object, pods
from tests.support.tables import each

OLD = make_object("Deployment", metadata={"labels": {"helm.sh/chart": "a-1"}}, spec={"replicas": 1})
NEW = make_object("Deployment", metadata={"labels": {"helm.sh/chart": "a-2"}}, spec={"replicas": 2})
CHART = 'metadata.labels."helm.sh/chart"'


def left(rules: Any, old: Any = OLD, new: Any = NEW) -> tuple[list[str], tuple[Hidden, ...]]:  # noqa: ANN401 - any content
    found, problems = rules_from(rules)
    assert problems == ()
    changes, hidden = without_ignored(object_changes([old], [new]), found)
    return [written(field.path) for change in changes for field in change.fields], hidden


def test_what_a_rule_hides_is_counted() -> None:
    assert left({"mine": {"paths": [CHART]}}) == (
        ["spec.replicas"],
        (Hidden("mine", 1, 1, "none"),),
    )


def test_an_object_of_which_nothing_is_left_is_not_shown() -> None:
    assert left({"mine": {"paths": ["metadata", "spec"]}}) == (
        [],
        (Hidden("mine", 2, 1, "none"),),
    )


@each(
    ("narrowed", "hides"),
    [
        ({"kinds": ["Deployment"]}, True),
        ({"kinds": ["apps/Deployment"]}, True),
        ({"kinds": ["apps/*", "core/*"]}, True),
        ({"kinds": ["core/Deployment"]}, False),
        ({"kinds": ["Service"]}, False),
        ({"values": "a-[0-9]"}, True),
        ({"values": "a-1"}, False),
        ({"changes": ["changed"]}, True),
        ({"changes": ["added", "removed"]}, False),
    ],
)
def test_a_rule_can_be_narrowed(narrowed: dict[str, Any], hides: bool) -> None:
    shown, hidden = left({"mine": {"paths": [CHART], **narrowed}})

    assert (CHART not in shown, bool(hidden)) == (hides, hides)


def test_what_is_worse_than_a_rule_allows_is_shown() -> None:
    old, new = (make_object("Deployment", spec=pods({"name": "a", "image": i})) for i in "12")
    rule = {"paths": ["spec"]}

    assert left({"mine": rule}, old, new)[1] == (Hidden("mine", 1, 1, "restart"),)
    assert left({"mine": {**rule, "up-to": "none"}}, old, new)[1] == ()


def test_renamed_objects_are_shown_even_if_their_fields_are_not() -> None:
    data = {"a": "1", "b": "2", "c": "3"}
    old, new = make_object(data=data), make_object(name="two", data=data)

    changes, hidden = without_ignored(
        object_changes([old], [new]), rules_from({"mine": {"paths": ["metadata"]}})[0]
    )

    assert [(change.what, change.fields) for change in changes] == [("renamed", ())]
    assert hidden == (Hidden("mine", 1, 1, "none"),)


def test_order_without_meaning_is_noise_unless_requested() -> None:
    old, new = (
        make_object("Role", api="rbac.authorization.k8s.io/v1", rules=[{"verbs": verbs}])
        for verbs in (["get", "list"], ["list", "get"])
    )

    assert left(None, old, new) == ([], (Hidden("list-order", 1, 1, "none"),))
    assert left({"list-order": False}, old, new) == (["rules[0].verbs"], ())


def test_order_in_pods_restarts_them_and_is_not_ignored() -> None:
    old, new = (
        make_object("Deployment", spec={"template": {"spec": {"volumes": volumes}}})
        for volumes in ([{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}])
    )

    assert left(None, old, new) == (["spec.template.spec.volumes"], ())


def test_fields_of_the_server_are_noise() -> None:
    new = make_object(metadata={"creationTimestamp": None})

    assert left(None, make_object(), new) == ([], (Hidden("server-fields", 1, 1, "none"),))


@each(
    ("name", "labels", "annotations"),
    [
        ("chart-labels", {"helm.sh/chart": "a-1"}, {}),
        ("chart-labels", {"app.kubernetes.io/version": "1"}, {}),
        ("checksums", {}, {"checksum/config": "1"}),
        ("tiller-labels", {"heritage": "Tiller"}, {}),
    ],
)
def test_some_rules_of_ours_are_there_to_be_switched_on(
    name: str, labels: dict[str, str], annotations: dict[str, str]
) -> None:
    metadata = {"labels": labels, "annotations": annotations}
    changed = {key: dict.fromkeys(values, "Helm") for key, values in metadata.items()}
    old, new = make_object(metadata=metadata), make_object(metadata=changed)

    assert not BUILT_IN[name][0]
    assert left(None, old, new)[1] == ()
    assert left({name: True}, old, new) == ([], (Hidden(name, 1, 1, "none"),))


@each(
    ("rules", "problem"),
    [
        ([], "rules must be a mapping of names to rules"),
        ({"a": True}, "a: there is no built-in rule of this name: list-order, "),
        ({"a": 1}, "a: a rule must be a mapping, or true or false for a built-in rule"),
        ({"a": {"kinds": ["A"]}}, "a: a rule needs paths"),
        ({"a": {"path": "x"}}, "a: unknown key path; a rule has changes, kinds, paths, "),
        ({"a": {"paths": ["x["]}}, "a: 'x[' is not a valid path"),
        ({"a": {"paths": [1]}}, "a: paths must be a list of strings"),
        ({"a": {"paths": "x", "values": "("}}, "a: values is not a valid regular expression: "),
        ({"a": {"paths": "x", "changes": "made"}}, "a: unknown change made; there are added, "),
        ({"a": {"paths": "x", "up-to": "bad"}}, "a: unknown grade bad; there are data-loss, "),
    ],
)
def test_an_invalid_rule_is_reported_and_skipped(rules: object, problem: str) -> None:
    found, (message,) = rules_from(rules)

    assert message.startswith(problem)
    assert [rule.name for rule in found] == [name for name, (on, _) in BUILT_IN.items() if on]


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
def test_patterns_cover_paths_and_everything_below_them(pattern: str, covered: bool) -> None:
    old, new = (
        make_object("X", spec={"containers": [{"name": "app", "image": image}]}) for image in "12"
    )
    (change,) = object_changes([old], [new])

    assert covers(pattern, change.fields[0].path) is covered


@each("pattern", ["", ".a", "a..b", "a.", "a]", 'a"b', '"a'])
def test_what_is_not_a_pattern(pattern: str) -> None:
    with pytest.raises(BadPattern):
        parse_path(pattern)
