"""Who owns what: by UID, and inferred where Kubernetes names nobody."""

from __future__ import annotations

from typing import Any

from commodore_py.live.access.discovery import Api
from commodore_py.live.cache.objects import Objects, cycle_in
from commodore_py.live.cache.records import Record, record_of
from commodore_py.live.cache.settings import Settings
from commodore_py.manifests.objects import ObjectId
from tests.support.tables import each

NOT_NAMESPACED = ("ClusterRole", "Namespace")


def _put(objects: list[Record], kind: str, name: str, group: str = "", **more: Any) -> Record:  # noqa: ANN401 - fields of an object
    objects.append(_object(kind, name, group, **more))
    return objects[-1]


def _object(kind: str, name: str, group: str = "", **more: Any) -> Record:  # noqa: ANN401 - fields of an object
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
    return record_of(api, {"metadata": metadata, **more}, Settings())


def _names(records: tuple[Record, ...]) -> list[str]:
    return [one.id.name for one in records]


def _children(objects: list[Record], record: Record) -> tuple[Record, ...]:
    return Objects(objects).below([record]).children[record.uid]


def test_endpoints_belong_to_the_service_of_their_name() -> None:
    objects: list[Record] = []
    service = _put(objects, "Service", "web")
    _put(objects, "Endpoints", "web")
    _put(objects, "Endpoints", "other")
    _put(objects, "Endpoints", "web", namespace="other", uid="elsewhere")

    assert [one.id.namespace for one in _children(objects, service)] == ["shop"]


def test_a_token_belongs_to_the_account_that_it_names_by_name_and_uid() -> None:
    objects: list[Record] = []
    account = _put(objects, "ServiceAccount", "robot", uid="1")
    names = {f"kubernetes.io/service-account.{part}" for part in ("name", "uid")}
    good, bad = (
        dict.fromkeys(names, "robot") | {"kubernetes.io/service-account.uid": uid}
        for uid in ("1", "2")
    )
    _put(objects, "Secret", "token", annotations=good)
    _put(objects, "Secret", "of-an-earlier-one", annotations=bad)

    assert _names(_children(objects, account)) == ["token"]


@each(
    ("claim", "is_owned"),
    [("data-web-1", True), ("mydata-web-1", False), ("data-web-x", False), ("data-web-1-2", False)],
)
def test_claims_belong_to_the_set_whose_template_made_them(claim: str, *, is_owned: bool) -> None:
    objects: list[Record] = []
    templates = [{"metadata": {"name": "data"}}]
    web = _put(objects, "StatefulSet", "web", "apps", spec={"volumeClaimTemplates": templates})
    _put(objects, "PersistentVolumeClaim", claim)

    assert bool(_children(objects, web)) is is_owned


def test_a_dot_in_a_name_stands_for_a_dot() -> None:
    objects: list[Record] = []
    templates = [{"metadata": {"name": "data"}}]
    web = _put(objects, "StatefulSet", "we.b", "apps", spec={"volumeClaimTemplates": templates})
    _put(objects, "PersistentVolumeClaim", "data-wexb-1")

    assert _children(objects, web) == ()


def test_an_operator_belongs_to_the_group_of_its_annotation() -> None:
    objects: list[Record] = []
    group = _put(objects, "OperatorGroup", "all", "operators.coreos.com")
    notes = {"olm.operatorGroup": "all"}
    _put(objects, "ClusterServiceVersion", "it", "operators.coreos.com", annotations=notes)

    assert _names(_children(objects, group)) == ["it"]


def test_an_owner_that_is_named_wins_over_an_inferred_one() -> None:
    objects: list[Record] = []
    service = _put(objects, "Service", "web")
    owner = {"uid": "gone", "apiVersion": "v1", "kind": "Service", "name": "web"}
    _put(objects, "Endpoints", "web", owners=[owner])

    assert _children(objects, service) == ()


@each("groups", [("apps", "extensions"), ("extensions", "apps")])
def test_copies_of_one_uid_are_one_node_in_any_order(groups: tuple[str, str]) -> None:
    objects: list[Record] = []
    for group in groups:
        _put(objects, "Deployment", "web", group, uid="1")
    _put(objects, "ReplicaSet", "web-1", "apps", of=["1"])

    nodes = {one.id for one in Objects(objects).nodes()}
    assert ObjectId("apps", "Deployment", "shop", "web") in nodes
    assert len(nodes) == 2
    assert _names(_children(objects, objects[0])) == ["web-1"]


def test_a_cycle_is_reported() -> None:
    first = _object("ConfigMap", "a", of=["ConfigMap-b"])
    own = _object("ConfigMap", "own", of=["ConfigMap-own"])
    leaf = _object("ConfigMap", "leaf", of=["ConfigMap-root"])
    root = _object("ConfigMap", "root")
    objects = Objects([first, _object("ConfigMap", "b", of=["ConfigMap-a"]), own, leaf, root])

    assert [one.name for one in cycle_in(objects.below([first]))] == ["a", "b"]
    assert [one.name for one in cycle_in(objects.below([own]))] == ["own"]
    assert cycle_in(objects.below([root])) == ()


def test_owners_elsewhere_do_not_count_and_make_no_object_a_root() -> None:
    objects: list[Record] = []
    owner = _put(objects, "ConfigMap", "owner", namespace="other", uid="1")
    elsewhere = _put(objects, "ConfigMap", "it", of=["1"])
    outside = _put(objects, "ClusterRole", "reader")
    inside = _put(objects, "ConfigMap", "of-role", of=[outside.uid])

    assert _children(objects, owner) == ()
    assert not Objects(objects).is_top_level(elsewhere)
    assert _children(objects, outside) == (inside,)
