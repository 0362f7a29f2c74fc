"""Grace of what is degraded; golden cases of functions show rules of the hierarchy."""

from __future__ import annotations

from typing import Any

from commodore_py.manifests.health.own import in_grace
from commodore_py.manifests.health.status import Health
from tests.support.tables import each


@each(
    ("left", "shown"),
    [(40, "40 s more: why"), (40.5, "50 s more: why"), (0.5, "10 s more: why"), (0, None)],
)
def test_degraded_object_in_grace_period_is_progressing(left: float, shown: str | None) -> None:
    health = Health("Degraded", "why", "built-in", waits=True)

    found = in_grace(health, left)

    if shown is None:
        assert found == health
    else:
        message = f"Degraded, in grace for {shown}"
        assert found == Health("Progressing", message, "built-in", waits=True)


@each("status", ["Healthy", "Unknown", "Suspended", None])
def test_other_statuses_have_no_grace_period(status: Any) -> None:  # noqa: ANN401
    health = Health(status, "", "built-in", waits=True)

    assert in_grace(health, 100) == health
