"""Generated objects as a cluster serves them: complete, incomplete and wrong."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

Objects: TypeAlias = st.SearchStrategy[dict[str, Any]]

_SMALL = st.integers(0, 3)
_TEXT = st.sampled_from(["", "a", "message"])
# What a field of another type may hold. Numbers in fields of strings are left out: the engine
# takes them for characters, and such objects for valid ones.
_WRONG_NUMBER = st.sampled_from(["3", True, [], {}])
_WRONG_TEXT = st.sampled_from([True, [], {}])


def _number() -> st.SearchStrategy[Any]:
    return st.one_of(_SMALL, _SMALL, _SMALL, _SMALL, st.none(), st.just(2.0), _rare(_WRONG_NUMBER))


def _rare(wrong: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 19).flatmap(lambda at: wrong if at == 0 else _SMALL.map(lambda _: None))


def _word(*words: str) -> st.SearchStrategy[Any]:
    known = st.sampled_from(words)
    return st.one_of(known, known, known, known, st.sampled_from(["", "Other"]), _rare(_WRONG_TEXT))


def _fields(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=optional)


def _list(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.lists(items, max_size=3), st.lists(items, max_size=3), st.none())


def _conditions(types: tuple[str, ...], reasons: tuple[str, ...] = ()) -> st.SearchStrategy[Any]:
    return _list(
        _fields(
            type=_word(*types),
            status=_word("True", "False", "Unknown"),
            reason=_word("Other", *reasons),
            message=_TEXT,
        )
    )


_TERMINATED = st.one_of(
    st.none(), _fields(exitCode=_number(), reason=_word("OOMKilled", "Error"), message=_TEXT)
)
_CONTAINERS = _list(
    _fields(
        name=_word("app"),
        state=_fields(
            waiting=st.one_of(
                st.none(),
                _fields(
                    reason=_word(
                        "ErrImagePull", "CrashLoopBackOff", "CreateError", "ContainerCreating"
                    ),
                    message=_TEXT,
                ),
            ),
            terminated=_TERMINATED,
        ),
        lastState=_fields(terminated=_TERMINATED),
    )
)
_GENERATION = {"generation": _SMALL}
_ANNOTATIONS = {
    "argocd.argoproj.io/hook": st.sampled_from(["PreSync", "Skip", "Skip, Sync", "junk", ""]),
    "helm.sh/hook": st.sampled_from(["pre-install", "crd-install", "test"]),
    # "true" is left out: the published engine does not know it yet.
    "argocd.argoproj.io/ignore-restart-policy": st.sampled_from(["false", "yes"]),
    "number": st.sampled_from(["1", "1", "1", 5]),
}
_METADATA: dict[str, st.SearchStrategy[Any]] = {
    **_GENERATION,
    "deletionTimestamp": st.sampled_from(
        [None, None, None, None, None, None, "2026-01-01T00:00:00Z"]
    ),
    "finalizers": st.lists(
        st.sampled_from(["a/b", "argocd.argoproj.io/hook-finalizer"]), max_size=2
    ),
}


def _object(
    version: st.SearchStrategy[str] | str,
    kind: str,
    annotations: dict[str, st.SearchStrategy[Any]] | None = None,
    **parts: st.SearchStrategy[Any],
) -> Objects:
    metadata = dict(_METADATA)
    if annotations:
        metadata["annotations"] = _fields(**annotations)
    return st.fixed_dictionaries(
        {
            "apiVersion": st.just(version) if isinstance(version, str) else version,
            "kind": st.just(kind),
            "metadata": st.fixed_dictionaries(
                {"name": st.just("thing"), "namespace": st.just("some")}, optional=metadata
            ),
        },
        optional=parts,
    )


_APPS = st.sampled_from(["apps/v1", "apps/v1", "apps/v1", "apps/v1", "apps/v1beta1"])
_LOAD_BALANCER = _fields(loadBalancer=_fields(ingress=_list(_fields(ip=st.just("192.0.2.1")))))
_NO_LIST: st.SearchStrategy[Any] = st.sampled_from(["x", {}, None, []])

DEPLOYMENTS = _object(
    _APPS,
    "Deployment",
    spec=_fields(paused=st.sampled_from([False, False, True, None]), replicas=_number()),
    status=_fields(
        observedGeneration=st.integers(0, 4),
        replicas=_number(),
        updatedReplicas=_number(),
        availableReplicas=_number(),
        conditions=_conditions(
            ("Progressing", "Available"), ("ProgressDeadlineExceeded", "NewReplicaSetAvailable")
        ),
    ),
)
STATEFUL_SETS = _object(
    _APPS,
    "StatefulSet",
    spec=_fields(
        replicas=_number(),
        updateStrategy=_fields(
            type=_word("RollingUpdate", "OnDelete"),
            rollingUpdate=st.one_of(st.none(), _fields(partition=_number())),
        ),
    ),
    status=_fields(
        observedGeneration=st.integers(0, 4),
        readyReplicas=_number(),
        updatedReplicas=_number(),
        currentRevision=_word("a", "b"),
        updateRevision=_word("a", "b"),
    ),
)
DAEMON_SETS = _object(
    _APPS,
    "DaemonSet",
    spec=_fields(updateStrategy=_fields(type=_word("RollingUpdate", "OnDelete"))),
    status=_fields(
        observedGeneration=st.integers(0, 4),
        desiredNumberScheduled=_number(),
        updatedNumberScheduled=_number(),
        numberAvailable=_number(),
    ),
)
REPLICA_SETS = _object(
    _APPS,
    "ReplicaSet",
    spec=_fields(replicas=_number()),
    status=_fields(
        observedGeneration=st.integers(0, 4),
        availableReplicas=_number(),
        conditions=_conditions(("ReplicaFailure", "Other")),
    ),
)
JOBS = _object(
    st.sampled_from(["batch/v1", "batch/v1", "batch/v1beta1"]),
    "Job",
    status=_fields(conditions=_conditions(("Complete", "Failed", "Suspended", "FailureTarget"))),
)
PODS = _object(
    "v1",
    "Pod",
    annotations=_ANNOTATIONS,
    spec=_fields(restartPolicy=_word("Always", "OnFailure", "Never")),
    status=_fields(
        phase=_word("Pending", "Running", "Succeeded", "Failed"),
        message=_TEXT,
        conditions=_conditions(("Ready", "Initialized")),
        initContainerStatuses=_CONTAINERS,
        containerStatuses=_CONTAINERS,
    ),
)
SERVICES = _object(
    "v1",
    "Service",
    spec=_fields(type=_word("LoadBalancer", "ClusterIP", "ExternalName")),
    status=_LOAD_BALANCER,
)
CLAIMS = _object(
    "v1", "PersistentVolumeClaim", status=_fields(phase=_word("Bound", "Pending", "Lost"))
)
INGRESSES = _object(
    st.sampled_from(["networking.k8s.io/v1", "extensions/v1beta1", "networking.k8s.io/v1beta1"]),
    "Ingress",
    status=st.one_of(_LOAD_BALANCER, _fields(loadBalancer=_fields(ingress=_NO_LIST)), _NO_LIST),
)
_SCALING = (
    *("FailedGetScale", "FailedUpdateScale", "FailedGetResourceMetric", "FailedGetObjectMetric"),
    *("FailedGetPodsMetric", "FailedGetExternalMetric", "FailedComputeMetricsReplicas"),
    "InvalidSelector",
)
_SCALERS = ("AbleToScale", "ScalingActive", "ScalingLimited")
AUTOSCALERS = st.one_of(
    _object(
        st.sampled_from(["autoscaling/v2", "autoscaling/v2", "autoscaling/v2beta2"]),
        "HorizontalPodAutoscaler",
        status=_fields(conditions=_conditions(_SCALERS, _SCALING)),
    ),
    _object(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        annotations={
            "autoscaling.alpha.kubernetes.io/conditions": st.sampled_from(
                [
                    "",
                    "null",
                    "[]",
                    "{}",
                    "[null]",
                    '[{"type": 5}]',
                    '[{"TYPE": "AbleToScale", "Status": "True"}]',
                    '[{"type": "ScalingActive", "reason": "InvalidSelector"}]',
                    '[{"type": "AbleToScale", "status": "False"}] x',
                ]
            )
        },
    ),
)
API_SERVICES = _object(
    st.sampled_from(["apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"]),
    "APIService",
    status=_fields(conditions=_conditions(("Available", "Other"))),
)
WORKFLOWS = _object(
    "argoproj.io/v1alpha1",
    "Workflow",
    status=st.one_of(
        _fields(phase=_word("Pending", "Running", "Succeeded", "Failed", "Error"), message=_TEXT),
        _NO_LIST,
    ),
)
WITHOUT_RULES = _object(
    st.sampled_from(["v1", "example.com/v1", "extensions/v1beta1"]),
    "Deployment",
    status=_fields(conditions=_conditions(("Ready",))),
)

OBJECTS: Objects = st.one_of(
    DEPLOYMENTS,
    STATEFUL_SETS,
    DAEMON_SETS,
    REPLICA_SETS,
    JOBS,
    PODS,
    SERVICES,
    CLAIMS,
    INGRESSES,
    AUTOSCALERS,
    API_SERVICES,
    WORKFLOWS,
    WITHOUT_RULES,
)
"""Objects of every kind with a built-in rule, and of others."""
