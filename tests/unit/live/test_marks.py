"""Marks: who manages a live object, by its labels and annotations."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.live import marks
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.settings import Tracking
from tests.support.tables import each

WEB = ObjectId("apps", "Deployment", "shop", "web")
ROLE = ObjectId("rbac.authorization.k8s.io", "ClusterRole", "", "reader")
LABEL = "app.kubernetes.io/instance"
ID = "argocd.argoproj.io/tracking-id"


@pytest.mark.parametrize(
    ("id_", "value", "ours"),
    [
        (WEB, "shop:apps/Deployment:shop/web", True),
        (WEB, "shop:extensions/Deployment:shop/web", True),  # a group it had before
        pytest.param(WEB, "shop:apps/Deployment:shop/other", False),
        (WEB, "shop:apps/Deployment:other/web", False),
        (WEB, "shop:apps/ReplicaSet:shop/web", False),
        (WEB, "no-mark", False),
        (ROLE, "shop:rbac.authorization.k8s.io/ClusterRole:shop/reader", True),
        (ROLE, "shop:rbac.authorization.k8s.io/ClusterRole:/reader", True),
    ],
)
def test_a_tracking_id_names_the_very_object(id_: ObjectId, value: str, *, ours: bool) -> None:
    assert marks.mark_of(id_, {}, {ID: value}, Tracking()).is_ours is ours


def test_a_mark_of_another_installation_is_foreign() -> None:
    mark = marks.mark_of(WEB, {}, {ID: "shop:apps/Deployment:shop/web"}, Tracking(installation="b"))

    assert (mark.tool, mark.is_ours) == ("argocd", False)


def test_a_label_is_no_mark_where_annotations_are() -> None:
    labels = {"app.kubernetes.io/instance": "shop"}

    assert marks.mark_of(WEB, labels, {}, Tracking()) == marks.Mark()


def test_a_label_of_helm_is_no_mark_of_an_application() -> None:
    labels = {"app.kubernetes.io/instance": "shop", "app.kubernetes.io/managed-by": "Helm"}

    assert not marks.mark_of(WEB, labels, {}, Tracking("label")).is_ours
    own = Tracking("label", "argocd.argoproj.io/instance")
    assert marks.mark_of(WEB, {own.label: "shop"}, {}, own).is_ours


@each(
    "tracking",
    [Tracking(), Tracking("label"), Tracking("annotation+label"), Tracking(installation="one")],
)
@each("id_", [WEB, ROLE])
def test_what_is_marked_is_ours(id_: ObjectId, tracking: Tracking) -> None:
    metadata = {"name": id_.name, "labels": {"a": "b"}}
    content = {"apiVersion": f"{id_.group}/v1", "kind": id_.kind, "metadata": metadata}

    found = marks.marked(content, "shop", "shop", tracking)["metadata"]

    assert isinstance(found, dict)
    mark = marks.mark_of(id_, found["labels"], found.get("annotations", {}), tracking)
    assert (mark.owner, mark.is_ours) == ("shop", True)
    assert found["labels"]["a"] == "b"
    assert metadata == {"name": id_.name, "labels": {"a": "b"}}


def test_a_definition_of_a_kind_has_no_mark() -> None:
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}

    assert marks.marked(crd, "shop", "shop", Tracking("label")) is crd


def test_a_label_beside_the_annotation_is_a_valid_one() -> None:
    name = "a" * 62 + "-b"

    found = marks.marked({"metadata": {"name": "it"}}, name, "", Tracking("annotation+label"))

    assert found["metadata"]["labels"] == {"app.kubernetes.io/instance": "a" * 62}  # type: ignore[index]


def _annotated(operation: str, manager: str = "argocd-controller") -> dict[str, Any]:
    fields: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{ID}": {}}}}
    entry = {"manager": manager, "operation": operation, "fieldsV1": fields}
    return {"annotations": {ID: "root:"}, "managedFields": [entry]}


@each(
    ("metadata", "method"),
    [
        ({"labels": {LABEL: "root"}}, "label"),
        ({"labels": {LABEL: "root"}, **_annotated("Update")}, "annotation"),
        (_annotated("Apply"), ""),  # as `live apply` does
        (_annotated("Update", "kubectl"), ""),
        ({"labels": {LABEL: "root", "app.kubernetes.io/managed-by": "Helm"}}, ""),
        ({"labels": {LABEL: "a-release"}}, ""),
        ({}, ""),
    ],
)
def test_the_method_of_tracking_by_a_mark_of_an_application(
    metadata: dict[str, Any], method: str
) -> None:
    assert marks.method_of({"metadata": metadata}, {"root", "shop"}) == method


@pytest.mark.parametrize(
    ("annotations", "word"),
    [
        ({"argocd.argoproj.io/sync-options": "Validate=false, Prune=false"}, "Prune=false"),
        pytest.param(
            {"argocd.argoproj.io/sync-options": "Prune=confirm"},
            "Prune=confirm",
        ),
        ({"helm.sh/resource-policy": "keep"}, "keep"),
        ({"kustomize.toolkit.fluxcd.io/prune": "disabled"}, "disabled"),
        ({"kapp.k14s.io/delete-strategy": "orphan"}, "orphan"),
    ],
)
def test_what_is_kept_says_why(annotations: dict[str, str], word: str) -> None:
    assert word in marks.kept_because(annotations)
    assert marks.kept_because({}) == ""
