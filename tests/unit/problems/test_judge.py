"""Which problems count: severities, entries that ignore, baselines."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.tolerance import Ignore, Tolerance
from commodore_py.problems.judge import Judge

if TYPE_CHECKING:
    from commodore_py.model.verdict import Verdict

TODAY = date(2027, 3, 31)
IMAGE = Problem.at(
    Place("compiled/web/web.yaml", instance="web", object="Deployment shop/web", field="spec.x"),
    "images/no-tag",
    "image nginx has no tag",
)
BROKEN = Problem.at(
    Place("dependencies/tenant/common.yml", 3), "kubernetes-schema/wrong-type", "it is a string"
)
FATAL = Problem.at(Place("x"), "files/unreadable", "gone", severity="fatal")


def judged(
    *problems: Problem, own: tuple[str, ...] = (), cluster: str = "", **tolerance: object
) -> Verdict:
    judge = Judge(Tolerance(**tolerance), cluster=cluster, today=TODAY)  # type: ignore[arg-type] # fields by their names
    return judge.judge(problems, own)


def entry(code: str = "images/no-tag", **fields: object) -> Ignore:
    return Ignore(**{"code": code, "reason": "known", "where": "a.toml:3", **fields})  # type: ignore[arg-type] # as above


def codes(verdict: Verdict) -> list[str]:
    return [one.code for one in verdict.problems]


@pytest.mark.parametrize(
    ("severity", "failing"),
    [("info", ["wrong-type", "no-tag"]), ("warning", ["wrong-type"]), ("error", [])],
)
def test_the_worst_severity_decides(severity: str, failing: list[str]) -> None:
    verdict = judged(IMAGE, BROKEN, max_severity=severity)

    assert codes(verdict) == ["kubernetes-schema/wrong-type", "images/no-tag"]
    assert [one.code.partition("/")[2] for one in verdict.failing] == failing


@pytest.mark.parametrize(
    "match",
    ["", "Deployment shop/*", "web", "spec.*", "compiled/web/*", "compiled/*/web.yaml"],
)
def test_an_entry_matches_by_code_and_place(match: str) -> None:
    assert judged(IMAGE, ignores=(entry(match=match),)).problems == ()
    assert judged(IMAGE, ignores=(entry("images/*", match=match),)).problems == ()
    assert judged(IMAGE, ignores=(entry("images/invalid", match=match),)).problems == (IMAGE,)


@pytest.mark.parametrize("match", ["Deployment shop", "deployment shop/web", "shop", "web.yaml"])
def test_an_entry_about_something_else_has_no_effect(match: str) -> None:
    assert judged(IMAGE, ignores=(entry(match=match),)).problems == (IMAGE,)


def test_what_is_fatal_counts_always() -> None:
    verdict = judged(
        FATAL,
        ignores=(entry("files/*"),),
        baseline={FATAL.fingerprint: 1},
        max_severity="error",
    )

    assert FATAL in verdict.failing


@pytest.mark.spec("14.04")
@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (-1, ["images/no-tag", "problems/expired"]),
        (0, ["problems/expires-soon"]),
        (14, ["problems/expires-soon"]),
        (15, []),
    ],
)
def test_an_entry_applies_to_the_end_of_its_day(days: int, expected: list[str]) -> None:
    verdict = judged(IMAGE, ignores=(entry(until=TODAY + timedelta(days)),))

    assert codes(verdict) == expected
    assert [one.reason for one in verdict.ignored] == ["known"] * (days >= 0)


def test_an_entry_that_matches_nothing_is_reported_with_its_line() -> None:
    (problem,) = judged(ignores=(entry(until=TODAY + timedelta(99)),)).problems

    assert (problem.code, problem.where) == ("problems/unused", "a.toml:3")


def test_an_entry_is_for_some_clusters() -> None:
    ignores = (entry(clusters=("c-demo-*",)),)

    assert judged(IMAGE, ignores=ignores, cluster="c-demo-1").problems == ()
    assert judged(IMAGE, ignores=ignores, cluster="c-prod").problems == (IMAGE,)


@pytest.mark.spec("14.05")
def test_a_tenant_ignores_its_own_files_and_what_is_delegated() -> None:
    ignores = (entry("*/x", delegated=False), entry(BROKEN.code, delegated=False))
    more = (*ignores, entry(IMAGE.code, delegated=False))

    verdict = judged(IMAGE, BROKEN, own=("dependencies/tenant/",), ignores=more)

    assert [one.problem for one in verdict.ignored] == [BROKEN]
    refused = next(one for one in verdict.problems if one.code == "problems/not-delegated")
    assert refused in verdict.failing
    assert refused.where == "a.toml:3"
    assert IMAGE in verdict.problems


@pytest.mark.spec("14.06")
def test_a_fingerprint_survives_other_lines_and_words() -> None:
    moved = BROKEN._replace(place=BROKEN.place._replace(line=9), message="wrong type")
    elsewhere = BROKEN._replace(place=BROKEN.place._replace(file="other.yml"))

    baseline = {BROKEN.fingerprint: 1}

    assert judged(moved, baseline=baseline).known == (moved,)
    assert judged(elsewhere, baseline=baseline).problems[0] == elsewhere


def test_a_baseline_counts() -> None:
    verdict = judged(IMAGE, IMAGE, BROKEN, baseline={IMAGE.fingerprint: 1, "gone": 2})

    assert len(verdict.known) == 1
    assert codes(verdict) == [
        "kubernetes-schema/wrong-type",
        "images/no-tag",
        "problems/stale",
    ]
    assert verdict.problems[-1].message.endswith("gone: 2")
