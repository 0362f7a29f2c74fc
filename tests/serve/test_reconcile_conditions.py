"""Conditions of clusters after jobs, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.serve.jobs import Job
from commodore_py.serve.reconcile import after

if TYPE_CHECKING:
    from collections.abc import Mapping


@pytest.mark.parametrize(
    ("kind", "stages", "statuses"),
    [
        ("compile", ["gather", "render"], {"Compiled": "False"}),
        ("push", ["gather", "render"], {"Compiled": "False", "Pushed": "False"}),
        ("push", ["gather", "render", "publish"], {"Compiled": "True", "Pushed": "False"}),
    ],
)
def test_failed_job_has_failed_where_its_stages_end(
    kind: str, stages: list[str], statuses: Mapping[str, str]
) -> None:
    job = Job("a", kind, "c-one", "ada", "failed")
    job.events.extend({"level": "stage", "message": one} for one in stages)
    job.error = {"message": "it was refused", "reasons": [{"code": "run/refused"}]}
    about: dict[str, Any] = {}

    after(job, about)

    assert {one["type"]: one["status"] for one in about["conditions"]} == statuses
