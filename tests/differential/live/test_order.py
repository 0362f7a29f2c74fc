"""The order of a sync beside Argo CD's own engine."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.order import hooks, kinds
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks

from . import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.order.tasks import Task

pytestmark = pytest.mark.long

APP = "app"
PULLED = ("Namespace", "CustomResourceDefinition")
NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "other", APP])
NAMESPACES = st.sampled_from(["", "", APP, "other"])
KINDS = st.sampled_from(
    [
        ("v1", "ConfigMap"),
        ("v1", "Namespace"),
        ("v1", "Namespace"),
        ("v1", "Secret"),
        ("v1", "Pod"),
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("batch/v1", "Job"),
        ("networking.k8s.io/v1", "Ingress"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("storage.k8s.io/v1", "StorageClass"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("example.com/v1", "Thing"),
        ("example.com/v1", "Other"),
    ]
)
WAVES = st.sampled_from(["-5", "0", "1", "+3", "10", "1.5", " 2", "", "x", "007"])
HOOKS = st.sampled_from(
    [
        *("PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreSync,PostSync", "Skip, PreSync"),
        *("junk", "junk,Sync", "", "PreDelete", "Sync,Sync"),
    ]
)
HELM_HOOKS = st.sampled_from(
    ["pre-install", "post-install,post-upgrade", "crd-install", "test", "pre-install,test"]
)
POLICIES = st.sampled_from(["HookSucceeded", "BeforeHookCreation,HookFailed", "junk"])
HELM_POLICIES = st.sampled_from(["before-hook-creation", "hook-succeeded,hook-failed"])
OPTIONS = st.sampled_from(["PruneLast=true", "Prune=false", "Prune=false, PruneLast=true"])
ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional={
        hooks.WAVE: WAVES,
        hooks.HELM_WEIGHT: WAVES,
        hooks.OPTIONS: OPTIONS,
        hooks.POLICY: POLICIES,
        hooks.HELM_POLICY: HELM_POLICIES,
    },
)
HOOK_ANNOTATIONS: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.just({}),
    st.just({}),
    st.fixed_dictionaries({}, optional={hooks.HOOK: HOOKS, hooks.HELM_HOOK: HELM_HOOKS}),
)


@st.composite
def things(draw: st.DrawFn) -> dict[str, Any]:
    """Any object."""
    version, kind = draw(KINDS)
    annotations = {**draw(ANNOTATIONS), **draw(HOOK_ANNOTATIONS)}
    metadata: dict[str, Any] = {"annotations": annotations} if annotations else {}
    is_hook = bool(hooks.hook_facts({"metadata": metadata}).phases) and draw(st.integers(0, 4)) == 0
    metadata["generateName" if is_hook and hooks.HOOK in annotations else "name"] = draw(NAMES)
    if namespace := draw(NAMESPACES):
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


DEFINITIONS = st.builds(
    lambda kind, annotations: {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.example.com", "annotations": annotations},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": kind},
            "versions": [{"name": "v1", "served": True}],
        },
    },
    st.sampled_from(["Thing", "Other"]),
    ANNOTATIONS,
)


def _id_of(one: dict[str, Any]) -> tuple[str, ...]:
    metadata = one["metadata"]
    name = metadata.get("name", metadata.get("generateName"))
    return one["apiVersion"], one["kind"], metadata.get("namespace", APP), name


# Of an id that is there twice, Argo CD drops one before the engine sees it.
TARGETS = st.lists(
    st.one_of(things(), things(), things(), DEFINITIONS), max_size=12, unique_by=_id_of
)


@st.composite
def live_objects(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Objects as a server has them: one of each id, namespaces where they belong."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for one in draw(st.lists(things(), max_size=6)):
        metadata = one["metadata"]
        metadata["name"] = metadata.pop("generateName", metadata.get("name"))
        if one["kind"] in (
            *("Namespace", "ClusterRole", "StorageClass", "APIService"),
            "ValidatingWebhookConfiguration",
        ):
            metadata.pop("namespace", None)
        else:
            metadata.setdefault("namespace", APP)
        key = one["apiVersion"], one["kind"], metadata.get("namespace", ""), metadata["name"]
        found[key] = one
    return list(found.values())


@pytest.fixture(scope="module")
def argocd() -> Iterator[engine.Engine]:
    """Argo CD's engine."""
    started = engine.start()
    yield started
    started.close()


def _objects(found: list[dict[str, Any]]) -> list[KubeObject]:
    return [KubeObject(id_, one) for one in found if (id_ := identify(one))]


def _shown(task: Task) -> dict[str, Any]:
    group, kind = task.kind
    return {
        "phase": task.phase,
        "wave": task.wave,
        "hook": task.is_hook,
        "group": group,
        "kind": kind,
        "namespace": task.namespace,
        "name": task.name,
        "live": task.live is not None,
        "prune": task.is_prune,
    }


def _settled(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours that Argo CD leaves in random order, in ours."""

    def place(one: dict[str, Any]) -> tuple[object, ...]:
        return one["phase"], one["wave"], kinds.rank(one["kind"]), one["name"]

    groups = (list(same) for _, same in groupby(tasks, place))
    return [one for same in groups for one in sorted(same, key=repr_of)]


def _depends_on_chance(found: list[dict[str, Any]]) -> bool:
    """Whether something is pulled before objects that Argo CD leaves in random order."""
    names = [
        (kinds.rank(one["kind"]), one["metadata"].get("name"))
        for one in found
        if one["kind"] not in PULLED
    ]
    return len(set(names)) < len(names) and any(one["kind"] in PULLED for one in found)


def repr_of(one: dict[str, Any]) -> str:
    """Sort key of any kind of task."""
    return repr(sorted(one.items()))


@given(found=TARGETS)
def test_annotations_mean_what_they_mean_to_the_engine(
    argocd: engine.Engine, found: list[dict[str, Any]]
) -> None:
    for one, theirs in zip(found, argocd.ask("hooks", objects=found)["results"], strict=True):
        facts = hooks.hook_facts(one)
        assert facts.is_hook == theirs["hook"], one
        assert set(facts.types) == set(theirs["types"]), one
        assert set(facts.policies) == set(theirs["policies"]), one
        assert facts.skipped == theirs["skip"], one
        assert facts.ignored == theirs["ignored"], one
        assert hooks.wave_of(one) == theirs["wave"], one
        assert list(hooks.sync_options(one)) == theirs["options"], one


@given(
    targets=TARGETS,
    live=live_objects(),
    options=st.builds(
        SyncOptions,
        namespace=st.just(APP),
        started=st.just(0),
        skip_hooks=st.just(False),
        revision=st.sampled_from(["", "abc", "0123456", "01234567", "0123456789abcdef"]),
        prune_last=st.booleans(),
        create_namespace=st.booleans(),
    ),
)
def test_tasks_are_those_of_the_engine(
    argocd: engine.Engine,
    targets: list[dict[str, Any]],
    live: list[dict[str, Any]],
    options: SyncOptions,
) -> None:
    assume(not _depends_on_chance([*targets, *live]))
    own = ("Thing", "Other")
    apis: list[dict[str, Any]] = [
        {"Group": "example.com", "Version": "v1", "Kind": kind} for kind in own
    ]
    if not any(one["kind"] == "Namespace" for one in (*targets, *live)):
        apis.append({"Version": "v1", "Kind": "Namespace", "ClusterScoped": True})
    response = argocd.ask(
        "order",
        objects=targets,
        live=live,
        namespace=APP,
        revision=options.revision,
        apis=apis,
        options={
            "Prune": True,
            "PruneLast": options.prune_last,
            "CreateNamespace": options.create_namespace,
        },
    )

    tasks = list(map(_shown, sync_tasks(_objects(targets), _objects(live), options)))

    assert "error" not in response, response
    assert _settled(tasks) == _settled(response["tasks"] or [])
