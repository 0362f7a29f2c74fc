"""What live objects become, and what counts as a difference."""

from __future__ import annotations

import base64
import json
from typing import Any

from commodore_py.adapters import yaml
from commodore_py.manifests.desired.ignoring import hidden_values, settle
from commodore_py.manifests.desired.predict import NO_RECORD, NOT_JSON, OTHER_OBJECT, predict
from commodore_py.manifests.objects import identify
from commodore_py.manifests.secret_parts import LAST_APPLIED
from commodore_py.manifests.settings import Ignored
from tests.support.tables import each

POD = "spec: {template: {spec: {containers: [%s]}}}"
SERVER = {"uid": "1", "resourceVersion": "5", "generation": 2, "creationTimestamp": None}


def _object(kind: str, fields: str, **metadata: object) -> dict[str, Any]:
    version, _, name = kind.partition(" ")
    more = yaml.load(fields, name="") or {}
    head = {"apiVersion": version, "kind": name}
    return {**head, **more, "metadata": {"name": "one", **metadata, **more.get("metadata", {})}}


def _with_record(live: dict[str, Any], record: str) -> dict[str, Any]:
    metadata = {**live["metadata"], "annotations": {LAST_APPLIED: record}}
    return {**live, "metadata": metadata}


SAME = [
    # kind, target, live
    (
        "apps/v1 StatefulSet",
        "spec: {volumeClaimTemplates: [{metadata: {name: a}, spec: {}}]}",
        "spec: {volumeClaimTemplates: [{metadata: {name: a}, spec: {volumeMode: Filesystem}}]}",
    ),
    ("v1 ConfigMap", "data: {a: b}", "data: {a: b}\nstatus: {x: y}"),
    ("v1 ConfigMap", "metadata: {annotations: {}}", "metadata: {labels: null}"),
    ("v1 ConfigMap", "data: null", "data: {a: b}"),
    ("apps/v1 Deployment", POD % "{name: a}", POD % "{name: a}, {name: injected}"),
    ("apps/v1 Deployment", POD % "{name: a}", POD % "{name: a, image: '', tty: false}"),
    (
        "apps/v1 Deployment",
        POD % "{name: a, resources: {limits: {cpu: 1000m, memory: 1Gi}}}",
        POD % "{name: a, resources: {limits: {cpu: 1, memory: 1024Mi}}}",
    ),
    (
        "apps/v1 Deployment",
        POD % "{name: a, ports: [{containerPort: 80}]}",
        POD % "{name: a, ports: [{containerPort: 80, protocol: TCP}]}",
    ),
    ("v1 Service", "spec: {ports: [{port: 80}]}", "spec: {ports: [{port: 80, targetPort: 80}]}"),
    ("v1 Service", "spec: {}", "spec: {clusterIP: 10.0.0.1, type: ClusterIP}"),
    ("rbac.authorization.k8s.io/v1 Role", "rules: []", "rules: null"),
    (
        "rbac.authorization.k8s.io/v1 ClusterRole",
        "aggregationRule: {a: b}\nrules: []",
        "aggregationRule: {a: b}\nrules: [{verbs: [get]}]",
    ),
    (
        "rbac.authorization.k8s.io/v1 RoleBinding",
        "subjects: [{kind: Group, name: a}]",
        "subjects: [{kind: Group, name: a, apiGroup: rbac.authorization.k8s.io}]",
    ),
    ("v1 Secret", "stringData: {a: b}", "data: {a: Yg==}"),
    (
        "networking.k8s.io/v1 NetworkPolicy",
        "spec: {ingress: [{ports: [{port: 80}]}]}",
        "spec: {ingress: [{ports: [{port: 80, protocol: TCP}]}], policyTypes: [Ingress]}",
    ),
    ("example.com/v1 Thing", "spec: {a: {b: 1}}", "spec: {a: {b: 1, c: 2}}"),
    ("example.com/v1 Thing", "spec: {list: [{a: 1}]}", "spec: {list: [{a: 1, b: 2}]}"),
    (
        "v1 Endpoints",
        "subsets: [{addresses: [{ip: 10.0.0.2}, {ip: 10.0.0.1}], ports: [{port: 80}]}]",
        "subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}], ports: [{port: 80}]}]",
    ),
]
DIFFERENT = [
    ("v1 ConfigMap", "data: {a: null}", "data: {a: b}"),
    ("example.com/v1 Thing", "spec: {l: [{name: a}]}", "spec: {l: [{name: a}, {name: b}]}"),
    (
        "v1 Pod",
        "spec: {tolerations: [{key: a, effect: NoExecute}]}",
        "spec: {tolerations: [{key: a, effect: NoExecute}, {key: b, effect: NoExecute}]}",
    ),
    ("apps/v1 Deployment", "spec: {paused: false}", "spec: {paused: true}"),
    (
        "apps/v1 Deployment",
        "spec: {strategy: {type: Recreate}}",
        "spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}}",
    ),
    (
        "networking.k8s.io/v1 NetworkPolicy",
        "spec: {ingress: [{from: [{namespaceSelector: {}}]}]}",
        "spec: {ingress: [{from: [{namespaceSelector: {}, podSelector: {a: b}}]}]}",
    ),
    (
        "networking.k8s.io/v1 NetworkPolicy",
        "spec: {ingress: [{from: [{namespaceSelector: {}, podSelector: {a: b}}]}]}",
        "spec: {ingress: [{from: [{podSelector: {a: b}}]}]}",
    ),
    ("rbac.authorization.k8s.io/v1 Role", "rules: []", "rules: [{verbs: [get]}]"),
    ("v1 ConfigMap", "data: {a: b}", "data: {a: c}"),
    ("apps/v1 Deployment", POD % "{name: a, image: x}", POD % "{name: a, image: y}"),
    ("apps/v1 Deployment", "spec: {replicas: 0}", "spec: {replicas: 1}"),
    ("v1 Secret", "stringData: {a: b}\ndata: {a: eA==}", "data: {a: eA==}"),
    ("example.com/v1 Thing", "spec: {list: [1, 2]}", "spec: {list: [2, 1]}"),
    ("example.com/v1 Thing", "spec: {a: null}", "spec: {a: 1}"),
    ("example.com/v1 Thing", "spec: {a: 1}", "spec: {a: '1'}"),
]


@each(("kind", "target", "live"), SAME)
def test_no_difference(kind: str, target: str, live: str) -> None:
    current = _object(kind, live, namespace="shop", **SERVER)

    found = predict(_object(kind, target), current)

    assert found.live == found.predicted


@each(("kind", "target", "live"), DIFFERENT)
def test_difference(kind: str, target: str, live: str) -> None:
    found = predict(_object(kind, target), _object(kind, live))

    assert found.live != found.predicted


def _owned(fields: dict[str, Any], operation: str = "Apply") -> list[dict[str, Any]]:
    """The managed fields of an object that Argo CD has applied."""
    return [{"manager": "argocd-controller", "operation": operation, "fieldsV1": fields}]


def test_field_that_was_applied_last_is_removed() -> None:
    target = _object("v1 ConfigMap", "data: {a: b}")
    live = _object("v1 ConfigMap", "data: {a: b, gone: x, foreign: y}")
    applied = _object("v1 ConfigMap", "data: {a: b, gone: x}")
    owned = _owned({"f:data": {".": {}, "f:a": {}, "f:gone": {}}})
    by_driver = _object("v1 ConfigMap", "data: {a: b, gone: x, foreign: y}", managedFields=owned)

    for found in (
        predict(target, _with_record(live, json.dumps(applied))),
        predict(target, live, applied),
        predict(target, by_driver),
    ):
        assert found.mode == "three-way"
        assert found.predicted["data"] == {"a": "b", "foreign": "y"}


def test_labels_of_others_stay_if_the_target_has_none() -> None:
    live = _object("v1 ConfigMap", "metadata: {labels: {a: b, foreign: c}}")
    applied = _object("v1 ConfigMap", "metadata: {labels: {a: b}}")

    found = predict(_object("v1 ConfigMap", ""), live, applied)

    assert found.predicted["metadata"]["labels"] == {"foreign": "c"}


def test_applied_zero_is_not_removed() -> None:
    live = _object("apps/v1 Deployment", POD % "{name: a, tty: false}")

    found = predict(_object("apps/v1 Deployment", POD % "{name: a}"), live, live)

    assert (found.mode, found.live == found.predicted) == ("three-way", True)


def test_synced_commit_counts_only_without_another_record() -> None:
    target = _object("v1 ConfigMap", "data: {a: b}")
    synced = _object("v1 ConfigMap", "data: {a: b, foreign: y}")
    owned = _owned({"f:data": {"f:a": {}}})
    live = _object("v1 ConfigMap", "data: {a: b, foreign: y}", managedFields=owned)

    found = predict(target, live, synced)

    assert (found.notice, found.live == found.predicted) == ("", True)


def test_field_of_unknown_origin_stays() -> None:
    # Of other operations, the server lists its defaults as well.
    owned = _owned({"f:data": {"f:a": {}, "f:gone": {}}}, "Update")
    live = _object("v1 ConfigMap", "data: {a: b, gone: x}", managedFields=owned)

    found = predict(_object("v1 ConfigMap", "data: {a: b}"), live)

    assert (found.mode, found.notice, found.live == found.predicted) == ("two-way", NO_RECORD, True)


def test_item_that_the_driver_owns_is_removed() -> None:
    containers: dict[str, Any] = {
        'k:{"name":"a"}': {".": {}, "f:name": {}},
        'k:{"name":"b"}': {"f:name": {}, "f:image": {}},
    }
    spec = {"f:template": {"f:spec": {"f:containers": containers}}}
    live = _object(
        "apps/v1 Deployment",
        POD % "{name: a}, {name: b, image: x}, {name: injected}",
        managedFields=_owned({"f:spec": spec}),
    )

    found = predict(_object("apps/v1 Deployment", POD % "{name: a}"), live)

    names = [one["name"] for one in found.predicted["spec"]["template"]["spec"]["containers"]]
    assert names == ["a", "injected"]


def test_default_in_the_key_of_an_item_stays() -> None:
    ports: dict[str, Any] = {
        'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}
    }
    containers = {'k:{"name":"a"}': {"f:name": {}, "f:ports": ports}}
    live = _object(
        "apps/v1 Deployment",
        POD % "{name: a, ports: [{containerPort: 80, protocol: TCP}]}",
        managedFields=_owned(
            {"f:spec": {"f:template": {"f:spec": {"f:containers": containers}}}},
        ),
    )

    found = predict(
        _object("apps/v1 Deployment", POD % "{name: a, ports: [{containerPort: 80}]}"), live
    )

    assert (found.mode, found.live == found.predicted) == ("three-way", True)


def test_finalizers_of_a_namespace_stay() -> None:
    target = _object("v1 Namespace", "metadata: {name: shop}")
    live = _object("v1 Namespace", "metadata: {name: shop}\nspec: {finalizers: [kubernetes]}")
    created = {**target, "spec": {}}  # as CreateNamespace applies it

    found = predict(target, _with_record(live, json.dumps(created)))

    assert found.live == found.predicted


def test_removed_item_is_seen_by_its_merge_key() -> None:
    target = _object("apps/v1 Deployment", POD % "{name: b}, {name: a}")
    live = _object("apps/v1 Deployment", POD % "{name: a}, {name: sidecar}, {name: gone}")
    applied = _object("apps/v1 Deployment", POD % "{name: a}, {name: gone}")

    containers = predict(target, live, applied).predicted["spec"]["template"]["spec"]["containers"]

    assert [one["name"] for one in containers] == ["b", "a", "sidecar"]


@each(
    ("record", "notice"),
    [
        ("{", NOT_JSON),
        ('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}}', OTHER_OBJECT),
        ("5", OTHER_OBJECT),
    ],
)
def test_record_that_is_not_usable(record: str, notice: str) -> None:
    live = _with_record(_object("v1 ConfigMap", ""), record)

    found = predict(_object("v1 ConfigMap", ""), live)

    assert (found.mode, found.notice) == ("two-way", notice)


def _settled(kind: str, target: str, live: str, *rules: Ignored) -> tuple[bool, dict[str, int]]:
    current = _object(kind, live)
    found = predict(_object(kind, target), current)
    id_ = identify(current)
    assert id_ is not None
    settled = settle(id_, found.live, found.predicted, rules)
    return settled.live != settled.predicted, dict(settled.hidden)


REFERENCE = "?{vaultkv:a/b/c}"
CODED = base64.b64encode(REFERENCE.encode()).decode()


@each(
    ("kind", "target"),
    [
        ("v1 ConfigMap", f"data: {{a: '{REFERENCE}'}}"),
        ("v1 ConfigMap", f"data: {{a: 'x {REFERENCE} y'}}"),
        ("v1 Secret", f"stringData: {{a: '{REFERENCE}'}}"),
        ("v1 Secret", f"data: {{a: {CODED}}}"),
    ],
)
def test_references_equal_anything(kind: str, target: str) -> None:
    assert _settled(kind, target, "data: {a: c2VjcmV0}") == (False, {"references": 1})


@each(
    ("pointer", "differs", "hidden"),
    [
        ("/data/a", False, {"ignored": 1}),
        ("/data", False, {"ignored": 1}),
        ("/data/b", True, {}),
        ("/data/a/0/x", True, {}),
        ("/nowhere/5", True, {}),
    ],
)
def test_json_pointers(pointer: str, differs: bool, hidden: dict[str, int]) -> None:
    rule = Ignored("ConfigMap", pointers=(pointer,))

    assert _settled("v1 ConfigMap", "data: {a: b}", "data: {a: c}", rule) == (differs, hidden)


def test_pointer_into_a_list_and_beyond_its_end() -> None:
    kind, target, live = "example.com/v1 Thing", "spec: {l: [{a: 1}]}", "spec: {l: [{a: 2}]}"
    rules = (Ignored("*/*", pointers=("/spec/l/0/a", "/spec/l/7")),)

    assert _settled(kind, target, live, *rules) == (False, {"ignored": 1})


def test_values_of_secrets_become_runs() -> None:
    target = _object("v1 Secret", "stringData: {a: x, b: same}")
    live = _object("v1 Secret", f"data: {{a: eQ==, b: {base64.b64encode(b'same').decode()}}}")

    shown = hidden_values([target, _with_record(live, json.dumps(target))])

    assert [one["data"] for one in shown] == [
        {"a": "+" * 8, "b": "+" * 8},
        {"a": "+" * 12, "b": "+" * 8},
    ]
    assert all("annotations" not in one["metadata"] for one in shown)


@each(
    "fields",
    ["data: canary", "stringData: [canary]", "data: {a: {b: canary}}", "data: {a: canary}"],
)
def test_no_value_of_a_secret_is_left(fields: str) -> None:
    live = _with_record(_object("v1 Secret", fields), "canary {")

    assert "canary" not in json.dumps(hidden_values([live]))


@each(
    ("target", "applied", "live", "expected"),
    [
        ("a", "", "bc", "bca"),
        ("ab", "ab", "axb", "axb"),
        ("ab", "axb", "axb", "ab"),
        ("ba", "ab", "axb", "bax"),
    ],
)
def test_order_of_items(target: str, applied: str, live: str, expected: str) -> None:
    wanted, before, now = (
        _object("apps/v1 Deployment", POD % ", ".join(f"{{name: {name}}}" for name in names))
        for names in (target, applied, live)
    )

    found = predict(wanted, _with_record(now, json.dumps(before))).predicted

    containers = found["spec"]["template"]["spec"]["containers"]
    assert "".join(one["name"] for one in containers) == expected


def test_secret_without_type_is_opaque() -> None:
    target = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    fields: dict[str, Any] = {"f:type": {}, "f:data": {"f:x": {}}}
    entry = {"manager": "argocd-controller", "operation": "Apply", "fieldsV1": fields}
    live = {
        **target,
        "metadata": {"name": "a", "managedFields": [entry]},
        "type": "Opaque",
        "data": {"x": "eQ=="},
    }

    prediction = predict({**target, "stringData": {"x": "y"}}, live, None)

    assert prediction.predicted == prediction.live


def test_defaults_inside_fields_applied_as_a_whole_are_no_changes() -> None:
    target = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "a"},
        "spec": {"ingress": [{"ports": [{"port": 80}]}]},
    }
    entry = {
        "manager": "argocd-controller",
        "operation": "Apply",
        "fieldsV1": {"f:spec": {"f:ingress": {}}},
    }
    live = {
        **target,
        "metadata": {"name": "a", "managedFields": [entry]},
        "spec": {"ingress": [{"ports": [{"port": 80, "protocol": "TCP"}]}]},
    }

    prediction = predict(target, live, None)

    assert prediction.predicted == prediction.live
