"""What changes do to a running cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.quantities import parse
from commodore_py.model.difference import GRADES
from tests.support.kube_objects import make_object, pods
from tests.support.tables import each

if TYPE_CHECKING:
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.objects import KubeObject

APP = {"name": "app", "image": "a:1"}
NEW_APP = {"name": "app", "image": "a:2"}
RBAC = "rbac.authorization.k8s.io/v1"
CRD = "apiextensions.k8s.io/v1"


def the_change(old: KubeObject | None, new: KubeObject | None) -> ObjectChange:
    (change,) = object_changes([old] if old else [], [new] if new else [])
    return change


def of_spec(kind: str, old: Any, new: Any, **more: Any) -> str:  # noqa: ANN401 - any content
    return the_change(
        make_object(kind, spec=old, **more), make_object(kind, spec=new, **more)
    ).grade


@each(
    ("kind", "api", "grade"),
    [
        ("Namespace", "v1", "data-loss"),
        ("PersistentVolume", "v1", "data-loss"),
        ("PersistentVolumeClaim", "v1", "data-loss"),
        ("CustomResourceDefinition", CRD, "data-loss"),
        ("Service", "v1", "outage"),
        ("Deployment", "apps/v1", "outage"),
        ("StatefulSet", "apps/v1", "outage"),
        ("Ingress", "networking.k8s.io/v1", "outage"),
        ("ClusterRoleBinding", RBAC, "outage"),
        ("ConfigMap", "v1", "none"),
        ("Service", "serving.knative.dev/v1", "none"),
    ],
)
def test_deletions(kind: str, api: str, grade: str) -> None:
    assert the_change(make_object(kind, api=api), None).grade == grade


def test_a_stateful_set_that_takes_its_claims_along_loses_data() -> None:
    spec = {
        "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"},
    }

    assert the_change(make_object("StatefulSet", spec=spec), None).grade == "data-loss"


def test_what_is_never_pruned_is_not_lost() -> None:
    annotations = {"argocd.argoproj.io/sync-options": "Replace=true, Prune=false"}

    change = the_change(
        make_object("PersistentVolumeClaim", metadata={"annotations": annotations}), None
    )

    assert (change.grade, change.reason) == ("none", "it stays on the cluster: Prune=false")


def test_a_rename_is_as_bad_as_the_deletion() -> None:
    spec = {"accessModes": ["x"], "storageClassName": "y", "volumeMode": "z"}

    change = the_change(
        make_object("PersistentVolumeClaim", spec=spec),
        make_object("PersistentVolumeClaim", "two", spec=spec),
    )

    assert (change.what, change.grade) == ("renamed", "data-loss")


def test_created_objects_are_harmless() -> None:
    assert the_change(None, make_object("Namespace")).grade == "none"


@each(
    ("kind", "old", "new", "more"),
    [
        ("Deployment", {"selector": {"matchLabels": {"a": "1"}}}, {"selector": {}}, {}),
        ("DaemonSet", {"selector": {"matchLabels": {"a": "1"}}}, {"selector": {}}, {}),
        ("StatefulSet", {"serviceName": "a"}, {"serviceName": "b"}, {}),
        ("Job", pods(APP), pods(NEW_APP), {}),
        ("Service", {"clusterIP": "10.0.0.1"}, {"clusterIP": "None"}, {}),
        ("PersistentVolumeClaim", {"storageClassName": "a"}, {"storageClassName": "b"}, {}),
        (
            "PersistentVolumeClaim",
            {"resources": {"requests": {"storage": "2Gi"}}},
            {"resources": {"requests": {"storage": "2G"}}},
            {},
        ),
        ("CustomResourceDefinition", {"scope": "Cluster"}, {"scope": "Namespaced"}, {"api": CRD}),
        ("Pod", {"nodeName": "a"}, {"nodeName": "b"}, {}),
    ],
)
def test_fields_that_cannot_change(
    kind: str, old: dict[str, Any], new: dict[str, Any], more: dict[str, str]
) -> None:
    assert of_spec(kind, old, new, **more) == "recreate"


@each(
    ("kind", "api", "old", "new"),
    [
        ("RoleBinding", RBAC, {"roleRef": {"name": "a"}}, {"roleRef": {"name": "b"}}),
        ("StorageClass", "storage.k8s.io/v1", {"parameters": {"a": "1"}}, {"parameters": {}}),
        ("PriorityClass", "scheduling.k8s.io/v1", {"value": 1}, {"value": 2}),
        ("Secret", "v1", {"type": "Opaque"}, {"type": "kubernetes.io/tls"}),
        (
            "ConfigMap",
            "v1",
            {"immutable": True, "data": {}},
            {"immutable": True, "data": {"a": ""}},
        ),
    ],
)
def test_fields_outside_of_spec_that_cannot_change(
    kind: str, api: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    change = the_change(make_object(kind, api=api, **old), make_object(kind, api=api, **new))

    assert change.grade == "recreate"


@each(
    ("kind", "old", "new", "more"),
    [
        ("Service", {"selector": {"a": "1"}}, {"selector": {"a": "2"}}, {}),
        ("Service", {"ports": [{"port": 80}, {"port": 81}]}, {"ports": [{"port": 80}]}, {}),
        ("Deployment", {"replicas": 2}, {"replicas": 0}, {}),
        ("StatefulSet", {}, {"replicas": 0}, {}),
        (
            "CustomResourceDefinition",
            {"versions": [{"name": "v1"}, {"name": "v2"}]},
            {"versions": [{"name": "v2"}]},
            {"api": CRD},
        ),
        (
            "CustomResourceDefinition",
            {"versions": [{"name": "v1", "served": True}]},
            {"versions": [{"name": "v1", "served": False}]},
            {"api": CRD},
        ),
        (
            "Ingress",
            {"rules": [{"host": "a"}, {"host": "b"}]},
            {"rules": [{"host": "a"}]},
            {"api": "networking.k8s.io/v1"},
        ),
    ],
)
def test_what_stops_a_service(
    kind: str, old: dict[str, Any], new: dict[str, Any], more: dict[str, str]
) -> None:
    assert of_spec(kind, old, new, **more) == "outage"


@each("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_another_template_restarts_pods(kind: str) -> None:
    assert of_spec(kind, pods(APP), pods(NEW_APP)) == "restart"


def test_another_image_restarts_a_pod() -> None:
    assert of_spec("Pod", {"containers": [APP]}, {"containers": [NEW_APP]}) == "restart"


@each(
    ("kind", "old", "new"),
    [
        ("CronJob", {"jobTemplate": pods(APP)}, {"jobTemplate": pods(NEW_APP)}),
        ("Deployment", {"replicas": 2}, {"replicas": 3}),
        ("Deployment", {"replicas": 0}, {}),
        ("StatefulSet", {"replicas": 2}, {"replicas": 3}),
        (
            "DaemonSet",
            pods(APP, updateStrategy={"type": "OnDelete"}),
            pods(NEW_APP, updateStrategy={"type": "OnDelete"}),
        ),
        ("Job", {"suspend": True}, {"suspend": False}),
        (
            "PersistentVolumeClaim",
            {"resources": {"requests": {"storage": "2G"}}},
            {"resources": {"requests": {"storage": "2Gi"}}},
        ),
        ("Service", {"ports": [{"port": 80}]}, {"ports": [{"port": 80}, {"port": 81}]}),
    ],
)
def test_what_does_no_harm(kind: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    assert of_spec(kind, old, new) == "none"


def test_the_worst_comes_first() -> None:
    old = [
        make_object("Deployment", "restarted", spec=pods(APP)),
        make_object("Deployment", "remade", spec={"selector": {"a": "1"}}),
        make_object("Namespace", "lost"),
        make_object("Service", "cut"),
        make_object("ConfigMap", "edited"),
    ]
    new = [
        make_object("Deployment", "restarted", spec=pods(NEW_APP)),
        make_object("Deployment", "remade", spec={"selector": {"a": "2"}}),
        make_object("ConfigMap", "edited", data={}),
    ]

    assert [change.grade for change in object_changes(old, new)] == list(GRADES)


@each(
    ("text", "number"),
    [("1Ki", 1024), ("1k", 1000), (3, 3), ("1500m", 1.5), ("1e3", 1000), ("2E", 2 * 10**18)],
)
def test_quantities(text: object, number: float) -> None:
    assert parse(text) == number


@each("text", ["", "1 Gi", "Gi", "1KB", True, None, "--1"])
def test_what_is_not_a_quantity(text: object) -> None:
    assert parse(text) is None
