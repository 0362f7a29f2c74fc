"""What differs between two versions of a value, and that nothing else does."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from commodore_py.manifests.fields import field_changes
from commodore_py.manifests.paths import written
from commodore_py.manifests.values import same
from tests.support.kube_objects import VALUES, applied
from tests.support.tables import each


def reported(old: Any, new: Any) -> list[tuple[str, str, object, object]]:  # noqa: ANN401 - any content
    return [
        (written(change.path), change.happened, change.old, change.new)
        for change in field_changes(old, new)
    ]


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


@each(
    ("old", "new"), [(1, True), (0, False), (1, "1"), (1, 1.0), ("", None), ([], {}), ("a", ["a"])]
)
def test_values_of_other_kinds_differ(old: object, new: object) -> None:
    assert reported({"a": old}, {"a": new}) == [("a", "changed", old, new)]


def test_containers_are_known_by_their_names_wherever_they_stand() -> None:
    old = {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y:1"}]}
    new = {
        "containers": [
            {"name": "side"},
            {"name": "a", "image": "x:2"},
            {"name": "b", "image": "y:1"},
        ]
    }

    assert reported(old, new) == [
        ("containers[name=a].image", "changed", "x:1", "x:2"),
        ("containers[name=side]", "added", None, {"name": "side"}),
    ]


def test_a_port_without_protocol_is_that_with_tcp() -> None:
    old = {"ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}
    new = {
        "ports": [
            {"containerPort": 53, "protocol": "TCP"},
            {"containerPort": 53, "protocol": "UDP", "name": "dns"},
        ]
    }

    assert reported(old, new) == [
        ("ports[containerPort=53].protocol", "added", None, "TCP"),
        ("ports[containerPort=53,protocol=UDP].name", "added", None, "dns"),
    ]


@each(
    ("field", "old", "new", "path"),
    [
        ("env", {"name": "A", "value": "1"}, {"name": "A", "value": "2"}, "env[name=A].value"),
        (
            "volumeMounts",
            {"mountPath": "/a", "name": "v"},
            {"mountPath": "/a", "name": "w"},
            "volumeMounts[mountPath=/a].name",
        ),
        (
            "tolerations",
            {"key": "k", "effect": "NoExecute", "operator": "Exists"},
            {"key": "k", "effect": "NoExecute", "operator": "Equal"},
            "tolerations[key=k,effect=NoExecute].operator",
        ),
        (
            "ports",
            {"port": 80, "protocol": "TCP", "targetPort": 1},
            {"port": 80, "protocol": "TCP", "targetPort": 2},
            "ports[port=80,protocol=TCP].targetPort",
        ),
        ("hostAliases", {"ip": "::1", "x": 1}, {"ip": "::1", "x": 2}, "hostAliases[ip=::1].x"),
        ("tls", {"secretName": "s", "x": 1}, {"secretName": "s", "x": 2}, "tls[secretName=s].x"),
        ("unknown", {"name": "n", "x": 1}, {"name": "n", "x": 2}, "unknown[name=n].x"),
        ("rules", {"alert": "n", "x": 1}, {"alert": "n", "x": 2}, "rules[alert=n].x"),
    ],
)
def test_items_are_known_by_the_keys_of_their_list(
    field: str, old: dict[str, Any], new: dict[str, Any], path: str
) -> None:
    found = reported(
        {field: [{"other": 1, **_other(old)}, old]}, {field: [new, {"other": 1, **_other(old)}]}
    )

    assert next(one for one in found if one[1] != "reordered")[:2] == (path, "changed")


def _other(item: dict[str, Any]) -> dict[str, Any]:
    """An item that differs in all that may be a key."""
    return {key: 9 if isinstance(value, int) else f"{value}-other" for key, value in item.items()}


def test_rules_of_a_role_are_matched_by_content() -> None:
    pods = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
    nodes = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}
    more = {**pods, "verbs": ["get", "list", "delete"]}

    assert reported({"rules": [pods, nodes]}, {"rules": [more, nodes]}) == [
        ("rules[0].verbs[]", "added", None, "delete")
    ]
    assert reported({"rules": [pods, nodes]}, {"rules": [nodes]}) == [
        ("rules[0]", "removed", pods, None)
    ]


def test_an_argument_that_changes_in_its_place_is_one_change() -> None:
    assert reported({"args": ["--a=1", "--b"]}, {"args": ["--a=2", "--b"]}) == [
        ("args[0]", "changed", "--a=1", "--a=2")
    ]


def test_names_that_are_not_unique_are_ignored() -> None:
    old = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    new = {"env": [{"name": "A", "value": "2"}]}

    assert reported(old, new) == [("env[0]", "removed", {"name": "A", "value": "1"}, None)]


def test_another_order_is_one_change() -> None:
    old, new = {"args": ["a", "b", "c"]}, {"args": ["c", "a", "b"]}

    assert reported(old, new) == [("args", "reordered", ["a", "b", "c"], ["c", "a", "b"])]


def test_an_insertion_in_the_middle_is_not_a_reordering() -> None:
    assert reported({"args": ["a", "c"]}, {"args": ["a", "b", "c"]}) == [
        ("args[]", "added", None, "b")
    ]


def test_keys_that_need_it_are_in_quotes() -> None:
    assert reported({"labels": {"a.b/c": 1}}, {"labels": {"a.b/c": 2}}) == [
        ('labels."a.b/c"', "changed", 1, 2)
    ]
