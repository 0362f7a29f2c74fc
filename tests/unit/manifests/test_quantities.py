"""Quantities of Kubernetes."""

from __future__ import annotations

from commodore_py.manifests.quantities import parse
from tests.support.tables import each


@each(
    ("text", "number"),
    [("1Ki", 1024), ("1k", 1000), (3, 3), ("1500m", 1.5), ("1e3", 1000), ("2E", 2 * 10**18)],
)
def test_quantities_are_parsed(text: object, number: float) -> None:
    assert parse(text) == number


@each("text", ["", "1 Gi", "Gi", "1KB", True, None, "--1"])
def test_invalid_quantities_are_refused(text: object) -> None:
    assert parse(text) is None
