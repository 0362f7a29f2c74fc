"""Who owns what: by UID, and inferred where Kubernetes names nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.live.access.discovery import Api
from commodore_py.live.cache.objects import Objects, iterate
from commodore_py.live.cache.records import Record, record_of
from commodore_py.live.cache.settings import Settings
from commodore_py.manifests.objects import ObjectId

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_NAMESPACED = ("ClusterRole", "Namespace")


def _put(objects: Objects, kind: str, name: str, group: str = "", **more: Any) -> Record:  # noqa: ANN401 - fields of an object
    """An object in the namespace `shop`; its UID is `uid`, or its name."""
    owners = [
        {"uid": uid, "apiVersion": "v1", "kind": "Any", "name": uid} for uid in more.pop("of", ())
    ]
    namespace = more.pop("namespace", "" if kind in NOT_NAMESPACED else "shop")
    metadata = {
        "name": name,
        "namespace": namespace,
        "uid": more.pop("uid", f"{kind}-{name}"),
        "ownerReferences": more.pop("owners", owners),
        "annotations": more.pop("annotations", {}),
    }
    api = Api(group, "v1", kind, f"{kind.lower()}s", namespaced=bool(namespace))
    record = record_of(api, {"metadata": metadata, **more}, Settings())
    objects.put(record)
    return record


def _names(records: tuple[Record, ...]) -> list[str]:
    return [one.id.name for one in records]


def _children(objects: Objects, record: Record) -> tuple[Record, ...]:
    return objects.below([record]).children[record.uid]


def _noted(names: list[str]) -> Callable[[Record], bool]:
    """Visits everything, and notes the names."""

    def visit(one: Record) -> bool:
        names.append(one.id.name)
        return True

    return visit


def test_endpoints_belong_to_the_service_of_their_name() -> None:
    objects = Objects()
    service = _put(objects, "Service", "web")
    _put(objects, "Endpoints", "web")
    _put(objects, "Endpoints", "other")
    _put(objects, "Endpoints", "web", namespace="other", uid="elsewhere")

    assert [one.id.namespace for one in _children(objects, service)] == ["shop"]


def test_a_token_belongs_to_the_account_that_it_names_by_name_and_uid() -> None:
    objects = Objects()
    account = _put(objects, "ServiceAccount", "robot", uid="1")
    names = {f"kubernetes.io/service-account.{part}" for part in ("name", "uid")}
    good, bad = (
        dict.fromkeys(names, "robot") | {"kubernetes.io/service-account.uid": uid}
        for uid in ("1", "2")
    )
    _put(objects, "Secret", "token", annotations=good)
    _put(objects, "Secret", "of-an-earlier-one", annotations=bad)

    assert _names(_children(objects, account)) == ["token"]


@pytest.mark.parametrize(
    ("claim", "is_owned"),
    [("data-web-1", True), ("mydata-web-1", False), ("data-web-x", False), ("data-web-1-2", False)],
)
def test_claims_belong_to_the_set_whose_template_made_them(claim: str, *, is_owned: bool) -> None:
    objects = Objects()
    templates = [{"metadata": {"name": "data"}}]
    web = _put(objects, "StatefulSet", "web", "apps", spec={"volumeClaimTemplates": templates})
    _put(objects, "PersistentVolumeClaim", claim)

    assert bool(_children(objects, web)) is is_owned


def test_a_dot_in_a_name_stands_for_a_dot() -> None:
    objects = Objects()
    templates = [{"metadata": {"name": "data"}}]
    web = _put(objects, "StatefulSet", "we.b", "apps", spec={"volumeClaimTemplates": templates})
    _put(objects, "PersistentVolumeClaim", "data-wexb-1")

    assert _children(objects, web) == ()


def test_an_operator_belongs_to_the_group_of_its_annotation() -> None:
    objects = Objects()
    group = _put(objects, "OperatorGroup", "all", "operators.coreos.com")
    notes = {"olm.operatorGroup": "all"}
    _put(objects, "ClusterServiceVersion", "it", "operators.coreos.com", annotations=notes)

    assert _names(_children(objects, group)) == ["it"]


def test_an_owner_that_is_named_wins_over_an_inferred_one() -> None:
    objects = Objects()
    service = _put(objects, "Service", "web")
    owner = {"uid": "gone", "apiVersion": "v1", "kind": "Service", "name": "web"}
    _put(objects, "Endpoints", "web", owners=[owner])

    assert _children(objects, service) == ()


@pytest.mark.parametrize("groups", [("apps", "extensions"), ("extensions", "apps")])
def test_copies_of_one_uid_are_one_node_in_any_order(groups: tuple[str, str]) -> None:
    objects = Objects()
    for group in groups:
        _put(objects, "Deployment", "web", group, uid="1")
    _put(objects, "ReplicaSet", "web-1", "apps", of=["1"])

    nodes = {one.id for one in objects.nodes()}
    assert ObjectId("apps", "Deployment", "shop", "web") in nodes
    assert len(nodes) == 2
    objects.remove(ObjectId("apps", "Deployment", "shop", "web"))
    (left,) = objects.copies("1")
    assert _names(_children(objects, left)) == ["web-1"]


def test_cycles_are_reported_once_and_not_followed() -> None:
    objects = Objects()
    first = _put(objects, "ConfigMap", "a", of=["ConfigMap-b"])
    _put(objects, "ConfigMap", "b", of=["ConfigMap-a"])
    _put(objects, "ConfigMap", "own", of=["ConfigMap-own"])
    visited: list[str] = []

    cycles = iterate(objects.below([first]), _noted(visited))

    assert visited == ["a", "b"]
    assert [[id_.name for id_ in cycle] for cycle in cycles] == [["a", "b"]]
    own = objects.get(ObjectId("", "ConfigMap", "shop", "own"))
    assert own is not None
    assert len(iterate(objects.below([own]), lambda _: True)) == 1


def test_owners_elsewhere_do_not_count_and_make_no_object_a_root() -> None:
    objects = Objects()
    owner = _put(objects, "ConfigMap", "owner", namespace="other", uid="1")
    elsewhere = _put(objects, "ConfigMap", "it", of=["1"])
    outside = _put(objects, "ClusterRole", "reader")
    inside = _put(objects, "ConfigMap", "of-role", of=[outside.uid])

    assert _children(objects, owner) == ()
    assert not objects.is_top_level(elsewhere)
    assert _children(objects, outside) == (inside,)


def test_each_object_is_visited_once_after_all_its_owners() -> None:
    objects = Objects()
    root = _put(objects, "ConfigMap", "root")
    _put(objects, "ConfigMap", "left", of=[root.uid])
    _put(objects, "ConfigMap", "right", of=[root.uid, "ConfigMap-left"])
    _put(objects, "ConfigMap", "below", of=["ConfigMap-left", "ConfigMap-right"])
    visited: list[str] = []

    iterate(objects.below([root]), _noted(visited))
    assert visited == ["root", "left", "right", "below"]

    visited.clear()

    def stops_at_left(one: Record) -> bool:
        visited.append(one.id.name)
        return one.id.name not in ("left", "right")

    iterate(objects.below([root]), stops_at_left)
    assert visited == ["root", "left", "right"]
