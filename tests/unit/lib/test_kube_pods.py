"""Containers and pod specifications of the kube library, and questions about pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate

CONTAINER = {
    "args": [],
    "env": [],
    "image": "i",
    "imagePullPolicy": "IfNotPresent",
    "name": "c",
    "ports": [],
    "stdin": False,
    "tty": False,
    "volumeMounts": [],
}


def _pod(**fields: object) -> dict[str, object]:
    return {
        "containers": [],
        "imagePullSecrets": [],
        "initContainers": [],
        "terminationGracePeriodSeconds": 30,
        "volumes": [],
        **fields,
    }


@pytest.mark.parametrize(
    ("mixin", "changes"),
    [
        ("", {}),
        ("image: 'i:latest'", {"image": "i:latest", "imagePullPolicy": "Always"}),
        ("stdin: true, tty: true", {"stdin": True, "tty": True}),
        (
            "args_: { b: null, a: true, c: [1], e: 1.5 }",
            {"args": ["--a=true", "--b=null", "--c=[1]", "--e=1.5"]},
        ),
        (
            "volumeMounts_: { v_1: { mountPath: '/x' } }",
            {"volumeMounts": [{"mountPath": "/x", "name": "v-1"}]},
        ),
        (
            "ports_: { web_ui: { containerPort: 1 }, api: { containerPort: 2 } }",
            {
                "ports": [
                    {"containerPort": 2, "name": "api"},
                    {"containerPort": 1, "name": "web-ui"},
                ]
            },
        ),
        (
            "env_: { B: 1, A: { fieldRef: {} }, C: null }",
            {
                "env": [
                    {"name": "A", "valueFrom": {"fieldRef": {}}},
                    {"name": "B", "value": "1"},
                    {"name": "C", "value": None},
                ]
            },
        ),
    ],
)
def test_container(mixin: str, changes: dict[str, object], anywhere: Evaluate) -> None:
    made = anywhere(f"kube.Container('c') {{ image: 'i' }} {{ {mixin} }}")

    assert made == {**CONTAINER, **changes}


@pytest.mark.parametrize(
    ("mixin", "expected"),
    [
        (
            "containers_: { b: { n: 1 }, a: { n: 2 }, default: { n: 3 } }",
            _pod(
                containers=[
                    {"name": "default", "n": 3},
                    {"name": "a", "n": 2},
                    {"name": "b", "n": 1},
                ]
            ),
        ),
        ("containers_: { b_c: {} }", _pod(containers=[{"name": "b-c"}])),
        ("containers_: { a: { name: 'own' } }", _pod(containers=[{"name": "own"}])),
        (
            "containers_: { default: {}, off: null }",
            _pod(containers=[{"name": "default"}]),
        ),
        (
            "containers_: { a: {}, b: {} }, default_container: 'b'",
            _pod(containers=[{"name": "b"}, {"name": "a"}]),
        ),
        (
            "containers_: { a: {} }, initContainers_: { y_z: {}, default: {}, off: null }",
            _pod(
                containers=[{"name": "a"}],
                initContainers=[{"name": "default"}, {"name": "y-z"}],
            ),
        ),
        (
            "containers_: { a: {} }, volumes_: { z_1: kube.EmptyDirVolume() }",
            _pod(containers=[{"name": "a"}], volumes=[{"emptyDir": {}, "name": "z-1"}]),
        ),
        ("containers: [{ own: 1 }]", _pod(containers=[{"own": 1}])),
    ],
)
def test_pod_spec(mixin: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"kube.PodSpec {{ {mixin} }}") == expected


def test_pod_spec_lists_ports_by_protocol(anywhere: Evaluate) -> None:
    pod = (
        "(kube.PodSpec { containers_: { a: container { ports_+: {"
        " dns: { containerPort: 53, protocol: 'UDP' } } } } })"
    )

    assert anywhere(f"{pod}.ports('TCP')") == [8080]
    assert anywhere(f"{pod}.ports('UDP')") == [53]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("kube.podRef(deployment) == deployment.spec.template", True),
        ("kube.podRef(kube.Pod('p') + { spec: 1 }).spec", 1),
        ("kube.podRef({ kind: 'CronJob', spec: { jobTemplate: { spec: { template: 1 } } } })", 1),
        ("kube.podsPorts([deployment, deployment])", [{"port": 8080, "protocol": "TCP"}]),
        ("kube.podsPorts([])", []),
        (
            "kube.podLabelsSelector(deployment)",
            {"podSelector": {"matchLabels": {"name": "d"}}},
        ),
        (
            "kube.podLabelsSelector(deployment { metadata+: { labels+: { a: 'b' } } }, ['a'])",
            {"podSelector": {"matchLabels": {"a": "b"}}},
        ),
        ("kube.podLabelsSelector(deployment, filter=['zz'])", {"podSelector": {}}),
        ("kube.FieldRef('k')", {"fieldRef": {"apiVersion": "v1", "fieldPath": "k"}}),
        ("kube.ResourceFieldRef('k', 2)", {"resourceFieldRef": {"divisor": "2", "resource": "k"}}),
        ("kube.ResourceFieldRef('k')", {"resourceFieldRef": {"divisor": "1", "resource": "k"}}),
    ],
)
def test_questions_and_references(expression: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(expression) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("kube.Container('c')", "container c: set image"),
        ("kube.Container('c') { image: 'i', tty: true }", "tty needs stdin"),
        ("kube.PodSpec", "at least one container"),
        ("kube.PodSpec { containers_: { a: null } }", "at least one container"),
        ("kube.PodSpec { containers_: { a: {}, b: {} } }", "default"),
        ("kube.PodSpec { containers_: { a: {}, b: null } }", "default"),
        ("kube.podRef(kube.Service('s'))", "Service"),
    ],
)
def test_incomplete_pods_report_what_is_missing(
    expression: str, message: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match=message):
        anywhere(expression)
