"""Where objects name images."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.checks.images import images_of

from .build import an_object

CONTAINERS: dict[str, Any] = {"containers": [{"name": "a", "image": "i:1"}]}
_VERSION = "operators.coreos.com/v1alpha1"


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (
            an_object("Prometheus", api_version="monitoring.coreos.com/v1", spec={"image": "i:1"}),
            "spec.image",
        ),
        (
            an_object(
                "ClusterServiceVersion",
                api_version=_VERSION,
                spec={"relatedImages": [{"name": "a"}, {"image": "i:1"}]},
            ),
            "spec.relatedImages[1].image",
        ),
        (
            an_object(
                "ClusterServiceVersion",
                api_version=_VERSION,
                spec={
                    "install": {
                        "spec": {"deployments": [{"spec": {"template": {"spec": CONTAINERS}}}]}
                    }
                },
            ),
            "spec.install.spec.deployments[0].spec.template.spec.containers[0].image",
        ),
        (
            an_object("PodTemplate", template={"spec": CONTAINERS}),
            "template.spec.containers[0].image",
        ),
        (
            an_object("Pod", spec={"volumes": [{"name": "a", "image": {"reference": "i:1"}}]}),
            "spec.volumes[0].image.reference",
        ),
    ],
    ids=lambda one: one["kind"] if isinstance(one, dict) else "",
)
def test_images_besides_those_of_workloads(content: dict[str, Any], field: str) -> None:
    assert list(images_of(content)) == [("i:1", field)]


@pytest.mark.parametrize("spec", [None, [], {"image": 1}, {"image": ""}, {"thanos": []}])
def test_a_custom_resource_of_another_shape_has_no_images(spec: object) -> None:
    content = an_object("Prometheus", api_version="monitoring.coreos.com/v1", spec=spec)

    assert list(images_of(content)) == []
