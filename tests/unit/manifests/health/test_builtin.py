"""The health of Kubernetes' own kinds: one case for each line of each rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commodore_py.adapters import yaml
from commodore_py.manifests.health.assess import assess
from tests.support.tables import each

CASES = yaml.load(Path(__file__).with_name("cases.yaml").read_bytes(), name="cases.yaml")


def _object(kind: str, more: dict[str, Any]) -> dict[str, Any]:
    version, _, name = kind.partition(" ")
    metadata = {"name": "thing", **more.get("metadata", {})}
    return {"apiVersion": version, "kind": name, **more, "metadata": metadata}


@each("case", CASES["statuses"])
def test_status(case: dict[str, Any]) -> None:
    found = assess(_object(case["kind"], case["has"]))

    assert (found.status, found.source, found.waits) == (case["status"], "built-in", True)


@each("case", CASES["undecodable"])
def test_value_of_another_type(case: dict[str, Any]) -> None:
    found = assess(_object(case["kind"], case["has"]))

    assert (found.status, found.message) == ("Unknown", case["message"])


@each(
    ("kind", "remedy"),
    [
        ("apps/v1beta1 Deployment", "apps/v1"),
        ("autoscaling/v2beta2 HorizontalPodAutoscaler", "autoscaling/v1 or autoscaling/v2"),
        ("v2 Pod", "v1"),
    ],
)
def test_version_without_rule(kind: str, remedy: str) -> None:
    found = assess(_object(kind, {}))

    assert found.status == "Unknown"
    assert found.message.endswith(f": use {remedy}")


@each("case", CASES["failures"])
def test_reason_of_a_failed_pod(case: dict[str, Any]) -> None:
    content = _object("v1 Pod", {"status": {"phase": "Failed", **case["has"]}})

    assert assess(content).message == case["message"]


ENDING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def test_deletion_comes_first_and_names_the_finalizers() -> None:
    metadata = {**ENDING, "finalizers": ["a/b", "c/d"]}

    found = assess(_object("apps/v1 Deployment", {"metadata": metadata}))

    assert (found.status, found.source) == ("Progressing", "deletion")
    assert found.message == "Pending deletion: waits for a/b, c/d"


def test_hooks_that_are_kept_by_their_finalizer_are_judged() -> None:
    metadata = {**ENDING, "finalizers": ["argocd.argoproj.io/hook-finalizer"]}

    assert assess(_object("v1 Service", {"metadata": metadata})).source == "built-in"
