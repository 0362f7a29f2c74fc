"""Which problems count: severities, and entries that ignore."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.model.problem import Place, Problem
from commodore_py.problems import judge
from commodore_py.problems.ignore_file import Ignore, IgnoreFile

if TYPE_CHECKING:
    from commodore_py.model.verdict import Verdict

IMAGE = Problem.at(
    Place("compiled/web/web.yaml", instance="web", object="Deployment shop/web", field="spec.x"),
    "images/no-tag",
    "image nginx has no tag",
)
BROKEN = Problem.at(
    Place("dependencies/tenant/common.yml", 3), "kubernetes-schema/wrong-type", "it is a string"
)


def judged(
    *problems: Problem, ignores: tuple[Ignore, ...] = (), cluster: str = "", strict: bool = False
) -> Verdict:
    return judge.judged(problems, [IgnoreFile(ignores)], cluster=cluster, strict=strict)


def entry(code: str = "images/no-tag", match: str = "", clusters: tuple[str, ...] = ()) -> Ignore:
    return Ignore(code, match, clusters, reason="known", where="a.toml:3")


def left(verdict: Verdict) -> list[Problem]:
    return [one for one in verdict.problems if one.code != "problems/unused"]


@pytest.mark.parametrize(("strict", "failing"), [(False, [BROKEN]), (True, [BROKEN, IMAGE])])
def test_strict_makes_warnings_fail(failing: list[Problem], *, strict: bool) -> None:
    verdict = judged(IMAGE, BROKEN, strict=strict)

    assert verdict.problems == (BROKEN, IMAGE)
    assert list(verdict.failing) == failing


@pytest.mark.parametrize(
    "match",
    ["", "Deployment shop/*", "web", "spec.*", "compiled/web/*", "compiled/*/web.yaml"],
)
def test_an_entry_matches_by_code_and_place(match: str) -> None:
    assert judged(IMAGE, ignores=(entry(match=match),)).problems == ()
    assert judged(IMAGE, ignores=(entry("images/*", match=match),)).problems == ()
    assert left(judged(IMAGE, ignores=(entry("images/invalid", match=match),))) == [IMAGE]


@pytest.mark.parametrize("match", ["Deployment shop", "deployment shop/web", "shop", "web.yaml"])
def test_an_entry_about_something_else_has_no_effect(match: str) -> None:
    assert left(judged(IMAGE, ignores=(entry(match=match),))) == [IMAGE]


def test_an_entry_that_matches_nothing_is_reported_with_its_line() -> None:
    (problem,) = judged(ignores=(entry(),)).problems

    assert (problem.code, problem.where) == ("problems/unused", "a.toml:3")


def test_an_entry_is_for_some_clusters() -> None:
    ignores = (entry(clusters=("c-demo-*",)),)

    assert judged(IMAGE, ignores=ignores, cluster="c-demo-1").problems == ()
    assert judged(IMAGE, ignores=ignores, cluster="c-prod").problems == (IMAGE,)
