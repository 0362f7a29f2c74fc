"""Generated targets, live objects and what was applied last: three versions of one object."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

Object: TypeAlias = dict[str, Any]

_SMALL = st.integers(0, 2)
_TEXT = st.sampled_from(["", "a", "b"])
_NAMES = ("a", "b", "c", "d")
_LABELS = st.dictionaries(st.sampled_from(_NAMES), st.sampled_from(["x", "y"]), max_size=3)
_QUANTITIES = st.dictionaries(
    st.sampled_from(["cpu", "memory"]),
    st.sampled_from(["1", "1000m", "500m", "1Gi", "1024Mi", "0.5"]),
    max_size=2,
)


def _fields(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries({}, optional=optional)


def _with(
    more: st.SearchStrategy[Object], **required: st.SearchStrategy[Any]
) -> st.SearchStrategy[Object]:
    return st.builds(lambda one, two: {**one, **two}, st.fixed_dictionaries(required), more)


def _named(
    key: str, names: tuple[Any, ...], **more: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[Object]]:
    required = {"image": more.pop("image")} if "image" in more else {}
    item = st.fixed_dictionaries({key: st.sampled_from(names), **required}, optional=more)
    return st.lists(item, max_size=3, unique_by=lambda one: one[key])


_PROBE = _fields(
    httpGet=st.fixed_dictionaries({"port": st.just(80)}, optional={"path": _TEXT}),
    periodSeconds=_SMALL,
)
_ENV = _named("name", _NAMES, value=_TEXT)
_CONTAINERS = _named(
    "name",
    _NAMES,
    image=st.sampled_from(["web", "web:1", "web:latest", "r:5000/web", "web@sha256:ab"]),
    args=st.lists(_TEXT, max_size=2),
    env=_ENV,
    ports=_named("containerPort", (80, 443), protocol=st.just("TCP"), name=_TEXT),
    resources=_fields(limits=_QUANTITIES, requests=_QUANTITIES),
    volumeMounts=_named("mountPath", ("/a", "/b"), name=st.just("v"), readOnly=st.booleans()),
    livenessProbe=_PROBE,
    tty=st.booleans(),
    imagePullPolicy=st.sampled_from(["Always", "IfNotPresent"]),
)
_VOLUME = st.one_of(
    st.just({"emptyDir": {}}),
    st.just({"hostPath": {"path": "/x"}}),
    st.just({"hostPath": {"path": "/x", "type": ""}}),
    st.builds(lambda name: {"secret": {"secretName": name}}, st.sampled_from(_NAMES)),
    st.builds(
        lambda name: {"configMap": {"name": name, "defaultMode": 420}}, st.sampled_from(_NAMES)
    ),
)
_VOLUMES = st.dictionaries(st.sampled_from(_NAMES), _VOLUME, max_size=3).map(
    lambda found: [{"name": name, **one} for name, one in found.items()]
)
_TOLERATIONS = st.lists(
    st.sampled_from([{"key": "a"}, {"key": "b", "operator": "Exists"}]), max_size=2
)
_POD = _fields(
    containers=_CONTAINERS,
    initContainers=_CONTAINERS,
    volumes=_VOLUMES,
    restartPolicy=st.just("Always"),
    hostNetwork=st.booleans(),
    nodeSelector=_LABELS,
    tolerations=_TOLERATIONS,
    imagePullSecrets=_named("name", _NAMES),
    automountServiceAccountToken=st.booleans(),
    securityContext=_fields(runAsNonRoot=st.booleans()),
    terminationGracePeriodSeconds=st.sampled_from([0, 30]),
)
_TEMPLATE = _with(_fields(metadata=_fields(labels=_LABELS)), spec=_POD)
_SURGE = st.sampled_from(["25%", 1])
_STRATEGY = st.sampled_from(
    [
        {"type": "Recreate"},
        {"type": "RollingUpdate"},
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        {},
    ]
)
_SERVICE_PORTS = _named(
    "port",
    (80, 443),
    targetPort=st.sampled_from([80, "web"]),
    protocol=st.just("TCP"),
    name=_TEXT,
)
_RULES = st.lists(
    st.builds(lambda verbs: {"apiGroups": [""], "verbs": verbs}, st.lists(_TEXT, max_size=2)),
    max_size=2,
)
_ANY = st.recursive(
    st.one_of(_SMALL, _TEXT, st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(_NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
_DATA = st.dictionaries(st.sampled_from(_NAMES), _TEXT, max_size=3)
_CODED = st.dictionaries(
    st.sampled_from(_NAMES), st.sampled_from(["", "YQ==", "Yg==", None]), max_size=3
)
_CLAIMS = st.lists(
    st.fixed_dictionaries(
        {
            "metadata": st.just({"name": "data"}),
            "spec": _with(
                _fields(volumeMode=st.just("Filesystem")), resources=_fields(requests=_QUANTITIES)
            ),
        },
        optional={"status": st.just({"phase": "Pending"})},
    ),
    max_size=1,
)
_SUBJECTS = st.lists(
    st.sampled_from(
        [
            {"kind": "User", "name": "a"},
            {"kind": "User", "name": "a", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "ServiceAccount", "name": "a", "namespace": "some"},
        ]
    ),
    max_size=2,
)

_KINDS: dict[tuple[str, str], dict[str, st.SearchStrategy[Any]]] = {
    ("apps/v1", "Deployment"): {
        "spec": _with(
            _fields(
                replicas=_SMALL,
                strategy=_STRATEGY,
                paused=st.booleans(),
                revisionHistoryLimit=st.sampled_from([0, 10]),
            ),
            template=_TEMPLATE,
        )
    },
    ("apps/v1", "StatefulSet"): {
        "spec": _with(_fields(replicas=_SMALL, volumeClaimTemplates=_CLAIMS), template=_TEMPLATE)
    },
    ("apps/v1", "DaemonSet"): {"spec": _with(_fields(), template=_TEMPLATE)},
    ("batch/v1", "CronJob"): {
        "spec": _with(
            _fields(schedule=_TEXT, suspend=st.booleans()),
            jobTemplate=_with(_fields(), spec=_with(_fields(), template=_TEMPLATE)),
        )
    },
    ("v1", "Service"): {
        "spec": _fields(
            ports=_SERVICE_PORTS,
            selector=_LABELS,
            type=st.sampled_from(["ClusterIP", "NodePort"]),
            publishNotReadyAddresses=st.booleans(),
        )
    },
    ("v1", "ConfigMap"): {"data": _DATA, "immutable": st.booleans()},
    ("v1", "Secret"): {"data": _CODED, "stringData": _DATA, "type": st.just("Opaque")},
    ("v1", "ServiceAccount"): {
        "secrets": _named("name", _NAMES),
        "automountServiceAccountToken": st.booleans(),
    },
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): {"rules": _RULES},
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): {
        "roleRef": st.just({"kind": "Role", "name": "a"}),
        "subjects": _SUBJECTS,
    },
    ("networking.k8s.io/v1", "NetworkPolicy"): {
        "spec": _fields(
            podSelector=_fields(matchLabels=_LABELS),
            ingress=st.lists(
                _fields(
                    ports=st.lists(
                        st.sampled_from([{"port": 80}, {"port": 80, "protocol": "TCP"}]),
                        max_size=2,
                    )
                ),
                max_size=2,
            ),
            policyTypes=st.just(["Ingress"]),
        )
    },
    ("example.com/v1", "Thing"): {"spec": _ANY, "data": _ANY},
}


@st.composite
def triples(draw: st.DrawFn) -> tuple[Object, Object, Object]:
    """A target, a live object, and what was applied last."""
    version, kind = draw(st.sampled_from(sorted(_KINDS)))
    fields = dict(_KINDS[version, kind])
    required = {name: fields.pop(name) for name in ("spec", "roleRef") if name in fields}
    content = st.fixed_dictionaries(required, optional=fields)
    metadata = _fields(labels=_LABELS, annotations=_LABELS)

    def version_of() -> Object:
        return {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": "thing", **draw(metadata)},
            **draw(content),
        }

    target = version_of()
    live = draw(st.one_of(st.just(target), st.builds(version_of)))
    original = draw(st.one_of(st.just(target), st.just(live), st.builds(version_of)))
    live = {key: one for key, one in live.items() if key != "stringData"}  # is never served
    live = {**live, "metadata": {**live["metadata"], "namespace": "some"}}
    return target, live, original
