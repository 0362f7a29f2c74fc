"""The order of a sync: phases, waves, kinds, hooks, and what is pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.order import hooks
from commodore_py.manifests.order.tasks import SyncOptions, hook_name, sync_tasks
from tests.support.manifests import annotated, make_object
from tests.support.tables import each

if TYPE_CHECKING:
    from commodore_py.manifests.objects import KubeObject

CRD = {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Thing"}}


def _order(
    targets: list[KubeObject], live: list[KubeObject] | None = None, **options: object
) -> list[str]:
    how = SyncOptions(**options)  # type: ignore[arg-type] # of the tests below
    tasks = sync_tasks(targets, live or [], how)
    return [f"{task.phase} {task.wave} {task.kind[1]} {task.name}" for task in tasks]


def test_phases_then_waves_then_kinds_then_names() -> None:
    targets = [
        annotated("v1 Service", "b"),
        annotated("v1 Service", "a"),
        annotated("apps/v1 Deployment", "a"),
        annotated("v1 ConfigMap", "late", sync_wave="1"),
        annotated("v1 ConfigMap", "early", sync_wave="-1"),
        annotated("batch/v1 Job", "after", hook="PostSync"),
        annotated("batch/v1 Job", "before", hook="PreSync"),
        annotated("batch/v1 Job", "failed", hook="SyncFail"),
        make_object("example.com/v1 Other", "a"),
    ]

    assert _order(targets) == [
        "PreSync 0 Job before",
        "Sync -1 ConfigMap early",
        "Sync 0 Service a",
        "Sync 0 Service b",
        "Sync 0 Deployment a",
        "Sync 0 Other a",
        "Sync 1 ConfigMap late",
        "PostSync 0 Job after",
        "SyncFail 0 Job failed",
    ]


def test_namespace_is_pulled_before_its_first_object() -> None:
    targets = [
        annotated("v1 Namespace", "shop", sync_wave="5"),
        annotated("v1 ConfigMap", "a", namespace="shop"),
        annotated("v1 ConfigMap", "0", namespace="other"),
    ]

    assert _order(targets) == [
        "Sync 0 ConfigMap 0",
        "Sync 0 Namespace shop",
        "Sync 0 ConfigMap a",
    ]
    (moved,) = [task for task in sync_tasks(targets) if task.pulled]
    assert (moved.wave, moved.written) == (0, 5)


def test_pruned_objects_pull_no_namespace() -> None:
    targets = [annotated("v1 Namespace", "shop", sync_wave="5")]
    live = [annotated("v1 ConfigMap", "a", namespace="shop")]

    assert _order(targets, live) == ["Sync 0 ConfigMap a", "Sync 5 Namespace shop"]


def test_definition_is_pulled_before_its_first_object() -> None:
    definition = make_object("apiextensions.k8s.io/v1 CustomResourceDefinition", "things", spec=CRD)
    targets = [definition, annotated("example.com/v1 Thing", "a", sync_wave="-3")]

    assert _order(targets) == ["Sync -3 CustomResourceDefinition things", "Sync -3 Thing a"]


def test_hook_of_two_phases_is_two_tasks() -> None:
    targets = [annotated("batch/v1 Job", "a", hook="PreSync, PostSync,PreSync")]

    assert _order(targets) == ["PreSync 0 Job a", "PostSync 0 Job a"]


@each("hook", ["Skip", "junk", "PreDelete", ""])
def test_hooks_without_a_phase_are_not_applied(hook: str) -> None:
    assert _order([annotated("batch/v1 Job", "a", hook=hook)]) == []


def test_hooks_of_helm_count_if_argo_has_none() -> None:
    both = {"helm.sh/hook": "pre-install", hooks.HOOK: "PostSync"}
    annotations = {
        "helm": {"helm.sh/hook": "pre-install"},
        "crd": {"helm.sh/hook": "crd-install"},
        "both": both,
        "test": {"helm.sh/hook": "test"},
    }
    targets = [
        make_object("batch/v1 Job", name, metadata={"annotations": words})
        for name, words in annotations.items()
    ]

    assert _order(targets) == ["PreSync 0 Job helm", "Sync 0 Job crd", "PostSync 0 Job both"]


@each(
    ("words", "wave"),
    [
        ({hooks.WAVE: "+3"}, 3),
        ({hooks.WAVE: "1.5"}, 0),
        ({hooks.WAVE: " 2"}, 0),
        ({hooks.WAVE: "x", hooks.HELM_WEIGHT: "7"}, 7),
        ({hooks.HELM_WEIGHT: "-7"}, -7),
        ({hooks.WAVE: "1_0"}, 0),
        ({hooks.WAVE: "9" * 30}, 0),
        ({hooks.WAVE: "1", "other": 5}, 0),
    ],
)
def test_wave(words: dict[str, str], wave: int) -> None:
    assert hooks.wave_of({"metadata": {"annotations": words}}) == wave


def test_pruning_is_in_the_opposite_order() -> None:
    live = [
        annotated("v1 ConfigMap", name, sync_wave=name, namespace="a") for name in ("-1", "0", "5")
    ]

    assert _order([], live) == [
        "Sync -1 ConfigMap 5",
        "Sync 0 ConfigMap 0",
        "Sync 5 ConfigMap -1",
    ]
    assert {line.split()[1] for line in _order([], live, prune_last=True)} == {"6"}


def test_namespace_of_the_application() -> None:
    targets = [make_object("v1 ConfigMap", "a")]

    assert sync_tasks(targets, options=SyncOptions("shop"))[0].namespace == "shop"
    assert _order(targets, namespace="shop", create_namespace=True) == [
        "PreSync 0 Namespace shop",
        "Sync 0 ConfigMap a",
    ]


def test_live_copies_of_one_object_are_one() -> None:
    uid = {"uid": "1", "namespace": "a"}
    live = [
        make_object("extensions/v1beta1 Ingress", "web", metadata=uid),
        make_object("networking.k8s.io/v1 Ingress", "web", metadata=uid),
    ]
    target = [make_object("networking.k8s.io/v1 Ingress", "web", metadata={"namespace": "a"})]

    assert _order(target, live) == ["Sync 0 Ingress web"]
    assert len(_order([], live)) == 1


@each(
    ("revision", "expected"),
    [
        ("0123456789", "job-0123456-presync-5"),
        ("ABC", "job-abc-presync-5"),
        ("", "job--presync-5"),
    ],
)
def test_name_of_a_hook(revision: str, expected: str) -> None:
    options = SyncOptions(revision=revision, started=5)

    assert hook_name("job-", "PreSync", options) == expected
