"""Kinds without a rule: the conventions of kstatus, and what Argo CD makes of them."""

from __future__ import annotations

import pytest

from commodore_py.adapters import yaml
from commodore_py.manifests.health.assess import assess

CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
OTHER = "apiVersion: example.com/v1\nkind: Thing\n"


@pytest.mark.parametrize(
    ("head", "rest", "status"),
    [
        (OTHER, "metadata: {generation: 2}\nstatus: {observedGeneration: 1}", "Progressing"),
        (OTHER, "status: {conditions: [{type: Reconciling, status: 'True'}]}", "Progressing"),
        (OTHER, "status: {conditions: [{type: Stalled, status: 'True'}]}", "Degraded"),
        (OTHER, "status: {conditions: [{type: Ready, status: 'True'}]}", "Healthy"),
        (OTHER, "status: {conditions: [{type: Ready, status: 'False'}]}", "Progressing"),
        (OTHER, "status: {conditions: [{type: Ready, status: Unknown}]}", "Progressing"),
        (OTHER, "status: {conditions: [{type: Ready, status: maybe}]}", None),
        (OTHER, "status: {conditions: {}}", None),
        pytest.param(OTHER, "spec: {}", None),
        (CRD, "status: {conditions: [{type: NamesAccepted, status: 'False'}]}", "Degraded"),
        (
            CRD,
            "status: {conditions: [{type: Established, status: 'False', reason: Installing}]}",
            "Progressing",
        ),
        (CRD, "status: {conditions: [{type: Established, status: 'False'}]}", "Degraded"),
        (CRD, "status: {conditions: [{type: Established, status: 'True'}]}", "Healthy"),
    ],
)
def test_status(head: str, rest: str, status: str | None) -> None:
    content = {"metadata": {}, **yaml.load(head + rest, name="")}

    found = assess(content)

    assert found.status == status
    assert found.source == ("none" if status is None else "kstatus")
    assert not found.waits
