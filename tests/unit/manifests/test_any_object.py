"""Whatever an object holds, it is judged, ordered, compared and masked, and stays as it is."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.manifests.desired.ignoring import hidden_values, settle
from commodore_py.manifests.desired.predict import predict
from commodore_py.manifests.health.assess import assess
from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.order import kinds
from commodore_py.manifests.order.tasks import sync_tasks
from commodore_py.manifests.settings import Ignored

KINDS = (
    *("apps/v1 Deployment", "apps/v1 StatefulSet", "batch/v1 CronJob", "v1 Endpoints"),
    *("v1 Namespace", "v1 Pod", "v1 Secret", "v1 Service", "networking.k8s.io/v1 Ingress"),
    *("rbac.authorization.k8s.io/v1 ClusterRole", "autoscaling/v2 HorizontalPodAutoscaler"),
    "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
    *("apiextensions.k8s.io/v1 CustomResourceDefinition", "example.com/v1 Thing"),
)
KEYS = (
    *("addresses", "annotations", "caBundle", "clientConfig", "conditions", "containerPort"),
    *("containers", "data", "deletionTimestamp", "env", "finalizers", "group", "image", "ingress"),
    *("kind", "labels", "limits", "loadBalancer", "metadata", "name", "names", "ports"),
    *("resources", "rollingUpdate", "rules", "scope", "spec", "status", "strategy"),
    *("stringData", "subsets", "template", "type", "volumeClaimTemplates", "volumes", "webhooks"),
)
SCALARS = st.one_of(
    *(st.none(), st.booleans(), st.integers(-5, 5), st.floats()),
    st.sampled_from(["", "a", "1", "?{vaultkv:a}", "2026-01-01T00:00:00Z"]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=25,
)
FIELDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
RULE = Ignored("*/*", pointers=("/spec/0/a", "/metadata/labels", "/spec/template"))


@st.composite
def versions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Three versions of one object, however strange."""
    version, _, kind = draw(st.sampled_from(KINDS)).partition(" ")
    return [
        {
            **draw(FIELDS),
            "apiVersion": version,
            "kind": kind,
            "metadata": {**draw(FIELDS), "name": "one"},
        }
        for _ in range(3)
    ]


@given(found=versions())
def test_functions_accept_any_object_unchanged(found: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(found)
    target, live, applied = found
    objects = [KubeObject(id_, one) for one in found if (id_ := identify(one))]

    for record in (None, applied):
        prediction = predict(target, live, record)
        settle(objects[1].id, prediction.live, prediction.predicted, [RULE])
    hidden_values([target, live])
    assert all(assess(one).source for one in found)
    sync_tasks(objects, objects)
    kinds.scopes_of(found)

    assert repr(found) == repr(before)
