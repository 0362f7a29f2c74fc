"""Conditions of clusters after jobs, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.serve.state import Job, conditions_after

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.serve.state import Kind


@pytest.mark.parametrize(
    ("kind", "stages", "statuses"),
    [
        ("compile", ["gather", "render"], {"Compiled": "False"}),
        ("push", ["gather", "render"], {"Compiled": "False", "Pushed": "False"}),
        ("push", ["gather", "render", "publish"], {"Compiled": "True", "Pushed": "False"}),
    ],
)
def test_failed_job_has_failed_where_its_stages_end(
    kind: Kind, stages: list[str], statuses: Mapping[str, str]
) -> None:
    job = Job(kind=kind, cluster="c-one", by="ada", state="failed")
    job.events.extend({"level": "stage", "message": one} for one in stages)
    job.error = {"message": "it was refused", "reasons": [{"code": "run/refused"}]}

    conditions = conditions_after(job)

    assert {condition.type: condition.status for condition in conditions} == statuses
