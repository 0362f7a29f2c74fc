"""Which script judges a kind, and what its result means."""

from __future__ import annotations

from commodore_py.manifests.health.scripts import Script, ScriptTable, verdict_of
from tests.support.tables import each


def _script(pattern: str) -> Script:
    return Script(pattern, "", open_libraries=True, where=pattern)


@each(
    ("settings", "folders", "expected"),
    [
        ([], ["pkg.crossplane.io/Provider", "*.crossplane.io/*"], "pkg.crossplane.io/Provider"),
        ([], ["*.crossplane.io/*"], "*.crossplane.io/*"),
        ([], ["*"], ""),
        (["*"], [], "*"),
        (["*/Provider"], ["pkg.crossplane.io/Provider"], "*/Provider"),
        (["z*", "*/*", "p*"], [], "*/*"),
        (["Provider"], [], ""),
    ],
)
def test_rule_of_a_kind(settings: list[str], folders: list[str], expected: str) -> None:
    table = ScriptTable(tuple(map(_script, settings)), tuple(map(_script, folders)))

    found = table.find("pkg.crossplane.io", "Provider")

    assert (found[0].pattern if found else "") == expected


@each(
    ("fields", "status", "message"),
    [
        ({"status": "Healthy", "message": "m"}, "Healthy", "m"),
        ({"STATUS": "Degraded", "Message": "m"}, "Degraded", "m"),
        ({"status": "healthy"}, "Unknown", "invalid health status: healthy"),
        ({"message": "m"}, "Unknown", "invalid health status"),
        ({"more": {"type": "function"}}, "Unknown", "its rule returned a function as more"),
    ],
)
def test_result(fields: dict[str, object], status: str, message: str) -> None:
    assert verdict_of(fields) == (status, message)


@each("fields", [None, {}, {"1": "Healthy"}, {"status": 5}])
def test_results_that_argo_cd_takes_for_no_status(fields: dict[str, object] | None) -> None:
    assert verdict_of(fields).status is None
