"""Grace: from the creation of an object, or from a change of it that was seen."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.live.rules import Judge
from commodore_py.manifests.health.own import OwnRule
from commodore_py.manifests.health.scripts import ScriptTable

CREATED = 1_767_225_600.0  # 2026-01-01T00:00:00Z


class Clock:
    """The time that a server says."""

    def __init__(self) -> None:
        self.time = CREATED

    def __call__(self) -> float:
        return self.time


def _stalled(generation: int = 1, *, name: str = "one") -> dict[str, Any]:
    conditions = [{"type": "Stalled", "status": "True", "message": "no quota"}]
    return {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {
            "name": name,
            "uid": name,
            "generation": generation,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "status": {"conditions": conditions},
    }


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def judge(clock: Clock) -> Judge:
    own = {"example.com/Thing": OwnRule(grace=90)}
    return Judge(ScriptTable(), own, clock)


def test_new_object_is_progressing_in_grace_period(judge: Judge, clock: Clock) -> None:
    clock.time += 50
    early = judge(_stalled())
    clock.time += 40
    late = judge(_stalled())

    assert (early.status, early.message) == (
        "Progressing",
        "Degraded, in grace for 40 s more: no quota",
    )
    assert (late.status, late.message) == ("Degraded", "no quota")


def test_observed_change_starts_grace_period(judge: Judge, clock: Clock) -> None:
    clock.time += 1000
    before = judge(_stalled(1))
    changed = judge(_stalled(2))
    clock.time += 60
    then = judge(_stalled(2))
    clock.time += 60
    ended = judge(_stalled(2))

    assert before.status == "Degraded"
    assert changed.message.startswith("Degraded, in grace for 90 s more")
    assert then.message.startswith("Degraded, in grace for 30 s more")
    assert ended.status == "Degraded"


def test_unobserved_change_starts_no_grace_period(judge: Judge, clock: Clock) -> None:
    clock.time += 1000

    assert judge(_stalled(7)).status == "Degraded"
    assert judge(_stalled(7, name="two")).status == "Degraded"


def test_other_kinds_have_no_grace_period(judge: Judge) -> None:
    assert judge({**_stalled(), "kind": "Other"}).status == "Degraded"
