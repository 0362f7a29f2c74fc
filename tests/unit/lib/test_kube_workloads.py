"""What runs and scales pods, as the kube library makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate

JSON = dict[str, object]


def _object(api: str, kind: str, name: str, spec: JSON) -> JSON:
    metadata = {"annotations": {}, "labels": {"name": name}, "name": name}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


def _pod(**fields: object) -> JSON:
    container = {
        "args": [],
        "env": [],
        "image": "i",
        "imagePullPolicy": "IfNotPresent",
        "name": "c",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "stdin": False,
        "tty": False,
        "volumeMounts": [],
    }
    return {
        "containers": [container],
        "imagePullSecrets": [],
        "initContainers": [],
        "terminationGracePeriodSeconds": 30,
        "volumes": [],
        **fields,
    }


def _template(name: str) -> JSON:
    return {"metadata": {"annotations": {}, "labels": {"name": name}}, "spec": _pod()}


def _selector(name: str) -> JSON:
    return {"matchLabels": {"name": name}}


JOB: JSON = {
    "completions": 1,
    "parallelism": 1,
    # No annotations here: that is how these templates always looked.
    "template": {"metadata": {"labels": {"name": "s"}}, "spec": _pod(restartPolicy="OnFailure")},
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "deployment",
            _object(
                "apps/v1",
                "Deployment",
                "d",
                {
                    "minReadySeconds": 30,
                    "replicas": 1,
                    "revisionHistoryLimit": 10,
                    "selector": _selector("d"),
                    "strategy": {
                        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
                        "type": "RollingUpdate",
                    },
                    "template": _template("d"),
                },
            ),
        ),
        (
            "kube.StatefulSet('s') + runs",
            _object(
                "apps/v1",
                "StatefulSet",
                "s",
                {
                    "replicas": 1,
                    "selector": _selector("s"),
                    "serviceName": "s",
                    "template": _template("s"),
                    "updateStrategy": {"rollingUpdate": {"partition": 0}, "type": "RollingUpdate"},
                    "volumeClaimTemplates": [],
                },
            ),
        ),
        (
            "kube.DaemonSet('s') + runs",
            _object(
                "apps/v1",
                "DaemonSet",
                "s",
                {
                    "selector": _selector("s"),
                    "template": _template("s"),
                    "updateStrategy": {
                        "rollingUpdate": {"maxUnavailable": 1},
                        "type": "RollingUpdate",
                    },
                },
            ),
        ),
        ("kube.Job('s') + runs", _object("batch/v1", "Job", "s", JOB)),
        (
            "kube.JobSpec + runs.spec",
            {**JOB, "template": {"spec": _pod(restartPolicy="OnFailure")}},
        ),
        (
            "kube.CronJob('s') { spec+: { schedule: '@daily', jobTemplate+: runs } }",
            _object(
                "batch/v1",
                "CronJob",
                "s",
                {
                    "concurrencyPolicy": "Forbid",
                    "failedJobsHistoryLimit": 20,
                    "jobTemplate": {"spec": JOB},
                    "schedule": "@daily",
                    "successfulJobsHistoryLimit": 10,
                },
            ),
        ),
        (
            "kube.Pod('p') { spec+: { containers_: { c: container } } }",
            _object("v1", "Pod", "p", _pod()),
        ),
        (
            (
                "kube.PodDisruptionBudget('p')"
                " { target_pod: deployment.spec.template, spec+: { minAvailable: 1 } }"
            ),
            _object(
                "policy/v1",
                "PodDisruptionBudget",
                "p",
                {"minAvailable": 1, "selector": _selector("d")},
            ),
        ),
        (
            (
                "kube.HorizontalPodAutoscaler('h')"
                " { target:: deployment { spec+: { replicas: 2 } }, spec+: { maxReplicas: 3 } }"
            ),
            _object(
                "autoscaling/v1",
                "HorizontalPodAutoscaler",
                "h",
                {
                    "maxReplicas": 3,
                    "minReplicas": 2,
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
                },
            ),
        ),
        (
            "kube.VerticalPodAutoscaler('v') { target:: deployment }",
            _object(
                "autoscaling.k8s.io/v1beta2",
                "VerticalPodAutoscaler",
                "v",
                {
                    "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
                    "updatePolicy": {"updateMode": "Auto"},
                },
            ),
        ),
        (
            "kube.CrossVersionObjectReference(deployment)",
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        ),
    ],
)
def test_workloads(expression: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(expression) == expected


def test_labels_reach_template_and_selector(anywhere: Evaluate) -> None:
    labels = {"name": "other", "team": "blue"}

    spec = anywhere("(deployment { metadata+: { name: 'other', labels+: { team: 'blue' } } }).spec")

    assert isinstance(spec, dict)
    assert spec["selector"] == {"matchLabels": labels}
    assert isinstance(spec["template"], dict)
    assert spec["template"]["metadata"] == {"annotations": {}, "labels": labels}


def test_deployment_with_a_claim_stops_before_it_starts(anywhere: Evaluate) -> None:
    claim = "{ data: kube.PersistentVolumeClaimVolume(kube.PersistentVolumeClaim('p')) }"

    update = anywhere(
        f"(deployment {{ spec+: {{ template+: {{ spec+: {{ volumes_: {claim} }} }} }} }})"
        ".spec.strategy.rollingUpdate"
    )

    assert update == {"maxSurge": 0, "maxUnavailable": 1}


def test_stateful_set_claims_carry_no_type(anywhere: Evaluate) -> None:
    claims = anywhere(
        "(kube.StatefulSet('s') + runs"
        " + { spec+: { volumeClaimTemplates_: { d: { storage: '1Gi' } } } })"
        ".spec.volumeClaimTemplates"
    )

    assert claims == [
        {
            "metadata": {"labels": {"name": "d"}, "name": "d"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    ]


def test_vertical_autoscaler_made_for_a_workload(anywhere: Evaluate) -> None:
    target = "deployment { metadata+: { namespace: 'n', labels+: { a: 'b' } } }"

    scaler = anywhere(f"kube.createVPAFor({target}, mode='Off')")

    assert isinstance(scaler, dict)
    assert scaler["metadata"] == {
        "annotations": {},
        "labels": {"a": "b", "name": "d"},
        "name": "d",
        "namespace": "n",
    }
    assert scaler["spec"] == {
        "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        "updatePolicy": {"updateMode": "Off"},
    }


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("kube.Deployment('d')", "at least one container"),
        ("kube.StatefulSet('s') + runs + { spec+: { replicas: 0 } }", "1 or more"),
        ("kube.CronJob('s') { spec+: { jobTemplate+: runs } }", "set spec.schedule"),
        ("kube.createVPAFor(deployment)", "namespace"),
        ("kube.HorizontalPodAutoscaler('h') { target:: deployment }", "set spec.maxReplicas"),
        (
            (
                "kube.HorizontalPodAutoscaler('h')"
                " { target:: deployment { spec+: { replicas: 2 } }, spec+: { maxReplicas: 1 } }"
            ),
            "below minReplicas",
        ),
        ("kube.PodDisruptionBudget('p') { target_pod: deployment.spec.template }", "either"),
        (
            (
                "kube.PodDisruptionBudget('p') { target_pod: deployment.spec.template,"
                " spec+: { minAvailable: 1, maxUnavailable: 1 } }"
            ),
            "either",
        ),
        ("kube.PodDisruptionBudget('p') { spec+: { minAvailable: 1 } }", "set target_pod"),
    ],
)
def test_incomplete_workloads_report_what_is_missing(
    expression: str, message: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match=message):
        anywhere(expression)
