"""Marks are set as they are read; golden cases of functions show who manages an object."""

from __future__ import annotations

from commodore_py.live import marks
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.settings import Tracking
from tests.support.tables import each

WEB = ObjectId("apps", "Deployment", "shop", "web")
ROLE = ObjectId("rbac.authorization.k8s.io", "ClusterRole", "", "reader")


@each(
    "tracking",
    [Tracking(), Tracking("label"), Tracking("annotation+label"), Tracking(installation="one")],
)
@each("id_", [WEB, ROLE])
def test_marked_object_is_recognised(id_: ObjectId, tracking: Tracking) -> None:
    metadata = {"name": id_.name, "labels": {"a": "b"}}
    content = {"apiVersion": f"{id_.group}/v1", "kind": id_.kind, "metadata": metadata}

    found = marks.marked(content, "shop", "shop", tracking)["metadata"]

    assert isinstance(found, dict)
    mark = marks.mark_of(id_, found["labels"], found.get("annotations", {}), tracking)
    assert (mark.owner, mark.is_ours) == ("shop", True)
    assert found["labels"]["a"] == "b"
    assert metadata == {"name": id_.name, "labels": {"a": "b"}}


def test_custom_resource_definition_is_not_marked() -> None:
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}

    assert marks.marked(crd, "shop", "shop", Tracking("label")) is crd


def test_long_tracking_label_is_shortened() -> None:
    name = "a" * 62 + "-b"

    found = marks.marked({"metadata": {"name": "it"}}, name, "", Tracking("annotation+label"))

    assert found["metadata"]["labels"] == {"app.kubernetes.io/instance": "a" * 62}  # type: ignore[index]
