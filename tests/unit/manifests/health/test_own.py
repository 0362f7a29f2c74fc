"""Rules of the hierarchy: conditions, scripts and grace."""

from __future__ import annotations

from typing import Any

from commodore_py.manifests.health.own import in_grace, own_rules
from commodore_py.manifests.health.status import Health
from tests.support.tables import each

RULE = {
    "healthy": ["Ready=True", "Synced=True"],
    "degraded": ["Stalled=True", "Ready=Unknown"],
    "suspended": ["Paused=True"],
}


def _rules(given: Any) -> Any:  # noqa: ANN401
    return own_rules({"commodore": {"live": {"health": given}}})


def _thing(*conditions: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    found = []
    for one in conditions:
        name, _, status = one.partition("=")
        found.append({"type": name, "status": status, "message": f"of {name}"})
    return {"metadata": {"generation": 2}, "status": {"conditions": found, **more}}


@each(
    ("thing", "verdict"),
    [
        (_thing("Ready=True", "Synced=True"), ("Healthy", "of Ready")),
        (_thing("Ready=True", "Synced=False"), ("Progressing", "of Synced")),
        (_thing("Ready=True"), ("Progressing", "waits for Synced=True")),
        (_thing("Ready=Unknown", "Synced=True"), ("Degraded", "of Ready")),
        (_thing("Ready=True", "Synced=True", "Stalled=True"), ("Degraded", "of Stalled")),
        (_thing("Ready=False", "Paused=True"), ("Suspended", "of Paused")),
        ({}, ("Progressing", "waits for Ready=True")),
        (
            _thing("Ready=True", "Synced=True", observedGeneration=1),
            ("Progressing", "its controller has not yet observed the latest change"),
        ),
    ],
)
def test_conditions(thing: dict[str, Any], verdict: tuple[str, str]) -> None:
    rules, wrong = _rules({"example.com/Thing": RULE})

    assert wrong == ()
    assert rules["example.com/Thing"].verdict(thing) == verdict


def test_the_message_is_that_of_a_chosen_condition() -> None:
    rules, _ = _rules({"Thing": {**RULE, "message-from": "Synced"}})

    found = rules["Thing"].verdict(_thing("Stalled=True", "Synced=False"))

    assert found == ("Degraded", "of Synced")


@each(
    ("left", "shown"),
    [(40, "40 s more: why"), (40.5, "50 s more: why"), (0.5, "10 s more: why"), (0, None)],
)
def test_what_is_in_its_grace_is_progressing(left: float, shown: str | None) -> None:
    health = Health("Degraded", "why", "built-in", waits=True)

    found = in_grace(health, left)

    if shown is None:
        assert found == health
    else:
        message = f"Degraded, in grace for {shown}"
        assert found == Health("Progressing", message, "built-in", waits=True)


@each("status", ["Healthy", "Unknown", "Suspended", None])
def test_only_what_is_degraded_has_a_grace(status: Any) -> None:  # noqa: ANN401
    health = Health(status, "", "built-in", waits=True)

    assert in_grace(health, 100) == health


@each(("given", "seconds"), [("90s", 90), ("5m", 300), ("2h", 7200), (None, 0), ("0s", 0)])
def test_grace(given: str | None, seconds: int) -> None:
    rules, wrong = _rules({"apps/Deployment": {"grace": given, "message-from": None}})

    assert wrong == ()
    assert rules["apps/Deployment"].grace == seconds
    assert not rules["apps/Deployment"].decides


def test_all_that_is_wrong_is_said_at_once() -> None:
    _, wrong = _rules(
        {
            "a/b/C": {"grace": 90},
            "*/Thing": {"healthy": ["Ready"]},
            "D": {"healthy": "Ready=True", "helthy": []},
            "E": {"degraded": ["A=True"]},
            "F": {"healthy": ["A=Maybe", 1], "lua": "return {}"},
            "G": "lua",
            "H": {"lua": 1, "grace": "soon"},
            "I": None,
        }
    )

    assert [".".join(one.path[3:]) for one in wrong] == [
        "a/b/C",
        "a/b/C.grace",
        "*/Thing",
        "*/Thing.healthy.[0]",
        "D.helthy",
        "D.healthy",
        "E",
        "F.healthy.[0]",
        "F.healthy.[1]",
        "F.lua",
        "G",
        "H.lua",
        "H.grace",
    ]


@each(
    ("parameters", "path"),
    [
        ({"commodore": {"live": 1}}, ("commodore", "live")),
        ({"commodore": {"live": {"health": "x"}}}, ("commodore", "live", "health")),
    ],
)
def test_what_is_not_a_mapping_is_said(parameters: Any, path: tuple[str, ...]) -> None:  # noqa: ANN401
    rules, wrong = own_rules(parameters)

    assert (rules, [one.path for one in wrong]) == ({}, [path])
