"""Network, storage, configuration and access objects of the kube library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate

JSON = dict[str, object]
RBAC = "rbac.authorization.k8s.io"


def _object(api: str, kind: str, name: str, **fields: object) -> JSON:
    metadata = {"annotations": {}, "labels": {"name": name}, "name": name}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


@pytest.mark.parametrize(
    ("mixin", "port"), [("", 8080), ("port:: 99", 99), ("metadata+: { namespace:: 'q' }", 8080)]
)
def test_service(mixin: str, port: int, anywhere: Evaluate) -> None:
    service = anywhere(
        f"kube.Service('s') {{ target_pod:: deployment.spec.template }} {{ {mixin} }}"
    )

    assert service == _object(
        "v1",
        "Service",
        "s",
        spec={
            "ports": [{"name": "http", "port": port, "targetPort": 8080}],
            "selector": {"name": "d"},
            "type": "ClusterIP",
        },
    )


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("host", "s.q.svc"),
        ("host_colon_port", "s.q.svc:8080"),
        ("http_url", "http://s.q.svc:8080/"),
        ("proxy_urlpath", "/api/v1/proxy/namespaces/q/services/s/"),
        ("name_port", {"service": {"name": "s", "port": {"name": "http"}}}),
    ],
)
def test_service_knows_its_addresses(field: str, expected: object, anywhere: Evaluate) -> None:
    service = "{ target_pod:: deployment.spec.template, metadata+: { namespace: 'q' } }"

    assert anywhere(f"(kube.Service('s') {service}).{field}") == expected


def test_service_without_port_name_is_reached_by_number(anywhere: Evaluate) -> None:
    service = "(kube.Service('s') { spec: { ports: [{ port: 98 }] } })"

    assert anywhere(f"{service}.name_port") == {"service": {"name": "s", "port": {"number": 98}}}


@pytest.mark.parametrize(
    ("mixin", "spec"),
    [
        ("", {"egress": [], "ingress": [], "policyTypes": []}),
        ("ingress_: { a: { from: [] } }", {"ingress": [{"from": []}], "policyTypes": ["Ingress"]}),
        (
            "ingress: [{}], egress_: { b: 1, a: 2 }",
            {"ingress": [{}], "egress": [2, 1], "policyTypes": ["Ingress", "Egress"]},
        ),
    ],
)
def test_network_policy(mixin: str, spec: JSON, anywhere: Evaluate) -> None:
    policy = anywhere(f"kube.NetworkPolicy('n') {{ spec+: {{ {mixin} }} }}")

    expected = {"egress": [], "ingress": [], "podSelector": {}, **spec}
    assert policy == _object("networking.k8s.io/v1", "NetworkPolicy", "n", spec=expected)


def test_ingress_with_absolute_paths(anywhere: Evaluate) -> None:
    rules = [{"http": {"paths": [{"path": "/a"}, {}]}}]

    ingress = anywhere(f"kube.Ingress('i') {{ spec+: {{ rules: {rules} }} }}")

    assert ingress == _object("networking.k8s.io/v1", "Ingress", "i", spec={"rules": rules})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("kube.PersistentVolume('x')", _object("v1", "PersistentVolume", "x", spec={})),
        (
            "(kube.PersistentVolumeClaim('x') { storage:: '1Gi' }).spec",
            {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        ),
        (
            (
                "local c = kube.PersistentVolumeClaim('x')"
                " { storage:: '1Gi', storageClass:: 'fast' };"
                " [c.metadata.annotations, c.spec.storageClassName]"
            ),
            [{"volume.beta.kubernetes.io/storage-class": "fast"}, "fast"],
        ),
        (
            "kube.PersistentVolumeClaimVolume(kube.PersistentVolumeClaim('x'))",
            {"persistentVolumeClaim": {"claimName": "x"}},
        ),
        ("kube.HostPathVolume('/p')", {"hostPath": {"path": "/p", "type": ""}}),
        ("kube.SecretVolume(kube.Secret('s'))", {"secret": {"secretName": "s"}}),
        ("kube.ConfigMapVolume(kube.ConfigMap('c'))", {"configMap": {"name": "c"}}),
        ("kube.EmptyDirVolume()", {"emptyDir": {}}),
        ("kube.GitRepoVolume('r', 'v')", {"gitRepo": {"repository": "r", "revision": "v"}}),
        ("kube.ConfigMap('c')", _object("v1", "ConfigMap", "c", data={})),
        ("kube.Secret('s')", _object("v1", "Secret", "s", data={}, type="Opaque")),
        (
            "kube.Secret('s') { stringData: { a: 'b' } }",
            _object("v1", "Secret", "s", data={}, stringData={"a": "b"}, type="Opaque"),
        ),
        (
            "kube.Secret('x') { data_: { a: 'b', c: 'é' } }",
            _object("v1", "Secret", "x", data={"a": "Yg==", "c": "w6k="}, type="Opaque"),
        ),
        (
            "kube.ConfigMapRef(kube.ConfigMap('c') { data: { a: 'b' } }, 'a')",
            {"configMapKeyRef": {"key": "a", "name": "c"}},
        ),
        (
            "kube.SecretKeyRef(kube.Secret('s') { data_: { a: 'b' } }, 'a')",
            {"secretKeyRef": {"key": "a", "name": "s"}},
        ),
        ("kube.Role('r')", _object(f"{RBAC}/v1", "Role", "r", rules=[])),
        ("kube.ClusterRole('r')", _object(f"{RBAC}/v1", "ClusterRole", "r", rules=[])),
        (
            "kube.RoleBinding('r') { roleRef_: kube.Role('q') }",
            _object(
                f"{RBAC}/v1",
                "RoleBinding",
                "r",
                roleRef={"apiGroup": RBAC, "kind": "Role", "name": "q"},
                subjects=[],
            ),
        ),
        (
            (
                "kube.ClusterRoleBinding('x') { roleRef_: kube.ClusterRole('r'),"
                " subjects_: [kube.ServiceAccount('s') { metadata+: { namespace: 'n' } }] }"
            ),
            _object(
                f"{RBAC}/v1",
                "ClusterRoleBinding",
                "x",
                roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"},
                subjects=[{"kind": "ServiceAccount", "name": "s", "namespace": "n"}],
            ),
        ),
        ("kube.Group('g:x')", {"apiGroup": RBAC, "kind": "Group", "name": "g:x"}),
        ("kube.User('u')", {"apiGroup": RBAC, "kind": "User", "name": "u"}),
    ],
)
def test_storage_configuration_and_access(
    expression: str, expected: object, anywhere: Evaluate
) -> None:
    assert anywhere(expression) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("kube.Service('s')", "Service s: set target_pod"),
        (
            (
                "kube.Service('s') { target_pod: { metadata: { labels: {} },"
                " spec: { containers: [{ ports: [] }] } } }"
            ),
            "out of bounds",
        ),
        pytest.param("kube.Ingress('i')", "Ingress i: set spec.rules"),
        (
            "kube.Ingress('i') { spec+: { rules: [{ http: { paths: [{ path: 'a' }] } }] } }",
            "must start with /",
        ),
        ("kube.PersistentVolumeClaim('p')", "set storage"),
        ("kube.ConfigMap('c') { data: { a: 1 } }", "must be strings"),
        ("kube.ConfigMapRef(kube.ConfigMap('c'), 'a')", "ConfigMap c has no key a"),
        ("kube.SecretKeyRef(kube.Secret('s'), 'a')", "Secret s has no key a"),
        ("kube.Secret('s') { data_: { a: 1 } }", "base64"),
        ("kube.RoleBinding('r')", "RoleBinding r: set roleRef_"),
        (
            "kube.RoleBinding('r') { roleRef_: kube.Role('q'), subjects_: [kube.Group('g')] }",
            "metadata",
        ),
        (
            (
                "kube.RoleBinding('r')"
                " { roleRef_: kube.Role('q'), subjects_: [kube.ServiceAccount('s')] }"
            ),
            "namespace",
        ),
    ],
)
def test_incomplete_objects_report_what_is_missing(
    expression: str, message: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match=message) as caught:
        anywhere(expression)
    assert "case.jsonnet" in caught.value.where
