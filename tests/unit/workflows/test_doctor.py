"""The doctor's checks: what is found, how bad that is, and what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.lieutenant.auth.session import TokenState
from commodore_py.workflows.doctor.checks import CHECKS, Verdict, run_checks, worst
from commodore_py.workflows.doctor.environment import (
    Api,
    Cache,
    Checkout,
    Environment,
    Lock,
    WorkFolder,
)
from commodore_py.workflows.tools.programs import TOOLS, Tool

if TYPE_CHECKING:
    from commodore_py.workflows.doctor.checks import Status

WORK = Path("/srv/work")
CACHE = Path("/home/u/.cache/commodore")
EXPIRY = 4_000_000_000.0  # 2096-10-02 07:06:40 UTC

WELL = Environment(
    python=(3, 11, 7),
    git=Tool("git", "/usr/bin/git", "git version 2.39.5"),
    tools=tuple(Tool(name, f"/usr/bin/{name}", "v1.2.3") for name in TOOLS),
    built_in={},
    tools_problem=None,
    api=Api("https://api.example.com", clusters=3),
    token=TokenState(needed=True, origin="given", expiry=EXPIRY, text="t"),
    work=WorkFolder(WORK, exists=True, compiled_before=True),
    cache=CACHE,
    caches=(Cache(CACHE / "token", 1234, 0o600), Cache(CACHE / "tools", 96_000_000, 0o755)),
)


def verdict(check: str, **changes: Any) -> Verdict:  # noqa: ANN401 - Environment checks them by name
    return CHECKS[check](replace(WELL, **changes))


def work(**parts: Any) -> dict[str, WorkFolder]:  # noqa: ANN401 - WorkFolder checks them by name
    return {"work": replace(WELL.work, **parts)}


def test_a_machine_in_good_order_has_no_problems() -> None:
    verdicts = run_checks(WELL)

    assert {name: one for name, one in verdicts.items() if one.status != "ok"} == {}
    assert [name for name, one in verdicts.items() if one.remedy] == []
    assert worst(verdicts.values()) == "ok"


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "ok"),
        (["ok", "warn"], "warn"),
        (["warn", "fail", "ok"], "fail"),
    ],
)
def test_the_worst_counts(statuses: list[Status], expected: str) -> None:
    assert worst(Verdict(status, "") for status in statuses) == expected


@pytest.mark.parametrize("version", [(3, 14, 0), (4, 0, 0)])
def test_a_python_that_is_too_new_is_a_warning(version: tuple[int, int, int]) -> None:
    found = verdict("python", python=version)

    assert found.status == "warn"
    assert "3.13" in found.remedy


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("git version 2.30.9", "fail"),
        ("git version 1.99.0", "fail"),
        ("git version 2.31.0", "ok"),
        ("git version 2.39.5 (Apple Git-154)", "ok"),
        ("git version 3.0.rc1", "ok"),
        ("", "fail"),
    ],
)
def test_git_must_be_new_enough(version: str, status: str) -> None:
    found = verdict("git", git=Tool("git", "/usr/bin/git", version))

    assert found.status == status
    assert ("2.31" in found.remedy) == (status == "fail")


def test_git_must_be_there() -> None:
    assert verdict("git", git=Tool("git", None)) == Verdict(
        "fail", "not found in PATH", "install git 2.31 or newer"
    )


@pytest.mark.parametrize("name", ["helm", "kustomize"])
def test_a_missing_tool_is_a_warning(name: str) -> None:
    found = verdict(name, tools=tuple(Tool(tool, None) for tool in TOOLS))

    assert found.status == "warn"
    assert found.remedy == f"commodore tool install {name}"


def test_kubectl_replaces_kustomize() -> None:
    tools = tuple(Tool(tool.name, None, "") for tool in WELL.tools)

    found = verdict("kustomize", tools=tools, kubectl="/usr/bin/kubectl")

    assert found.status == "ok"
    assert "/usr/bin/kubectl; entries of type kustomize will fail" in found.found
    assert verdict("kustomize", tools=tools).status == "warn"


@pytest.mark.parametrize("name", ["jb", "helm"])
def test_what_is_built_in_is_not_missing(name: str) -> None:
    tools = tuple(Tool(tool, None) for tool in TOOLS)
    found = verdict(name, tools=tools, built_in={name: "used for this"})

    assert found.status == "ok"
    assert found.found == "built in; the program is used for this"


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_does_not_run_is_a_failure(name: str) -> None:
    found = verdict(name, tools=tuple(Tool(tool, f"/opt/{tool}") for tool in TOOLS))

    assert (found.status, found.found) == ("fail", f"/opt/{name} does not run")
    assert f"commodore tool install {name}" in found.remedy


def test_a_broken_record_of_tools_is_a_failure() -> None:
    found = verdict("managed tools", tools_problem=CommodoreError("odd", where="/f", hint="repair"))

    assert found == Verdict("fail", "odd (/f)", "repair")


def test_a_missing_api_url_has_a_hint() -> None:
    found = verdict("api", api=Api())

    assert found.status == "warn"
    assert "COMMODORE_API_URL" in found.remedy
    assert "./facts" in found.remedy
    assert "commodore demo" in found.remedy


@pytest.mark.parametrize(
    ("api", "found_text"),
    [
        (Api("https://api", clusters=3), "the API https://api has 3 clusters"),
        (Api("./facts", is_folder=True, clusters=1), "the folder ./facts has 1 cluster"),
        (Api("https://api"), "https://api is reachable"),
    ],
)
def test_facts_that_can_be_had(api: Api, found_text: str) -> None:
    assert verdict("api", api=api) == Verdict("ok", found_text)


def test_every_problem_of_the_facts_is_reported() -> None:
    problems = (CommodoreError("no id", where="a:1", hint="name it"), CommodoreError("no tenant"))
    error = SeveralErrors("clusters: 2 problems", errors=problems)

    found = verdict("api", api=Api("./facts", is_folder=True, problem=error))

    assert found == Verdict("fail", "no id (a:1); no tenant", "name it")


@pytest.mark.parametrize(
    ("token", "status", "found_text", "remedy"),
    [
        (TokenState(), "ok", "not required", ""),
        (TokenState(needed=True), "warn", "none", "commodore login"),
        (WELL.token, "ok", "given, valid until 2096-10-02 07:06 UTC", ""),
        (replace(WELL.token, expiry=None), "ok", "given, without expiry", ""),
        (replace(WELL.token, expiry=1e300), "ok", "given, valid until an unknown", ""),
        (
            TokenState(needed=True, origin="cached", expiry=60, has_expired=True),
            "warn",
            "cached, expired 1970-01-01 00:01 UTC",
            "commodore login",
        ),
        (
            TokenState(needed=True, origin="cached", expiry=60, has_expired=True, renewable=True),
            "ok",
            "cached, expired 1970-01-01 00:01 UTC; it is renewed when needed",
            "",
        ),
        (
            TokenState(needed=True, origin="given", problem=CommodoreError("odd")),
            "fail",
            "odd",
            "commodore login",
        ),
    ],
)
def test_tokens(token: TokenState, status: str, found_text: str, remedy: str) -> None:
    found = verdict("token", token=token)

    assert (found.status, found.found[: len(found_text)]) == (status, found_text)
    assert bool(found.remedy) == bool(remedy)
    assert remedy in found.remedy


def test_a_refused_token_is_a_failure() -> None:
    rejection = CommodoreError("answered 401 Unauthorized", where="https://api/clusters/")

    found = verdict("token", api=Api("https://api", rejection=rejection))

    assert (found.status, found.found) == (
        "fail",
        "answered 401 Unauthorized (https://api/clusters/)",
    )
    assert "commodore login" in found.remedy


@pytest.mark.parametrize(
    ("parts", "status", "found_text"),
    [
        ({}, "ok", "/srv/work, with an earlier compile"),
        ({"exists": False}, "ok", "/srv/work, created when needed"),
        ({"compiled_before": False}, "ok", "/srv/work, not compiled yet"),
        ({"compiled_before": False, "entries": 1}, "ok", "/srv/work, not compiled yet; a"),
        ({"problem": "Read-only file system"}, "fail", "/srv/work cannot be written to: Read-"),
    ],
)
def test_working_directories(parts: dict[str, Any], status: str, found_text: str) -> None:
    found = verdict("working directory", **work(**parts))

    assert found.status == status
    assert found.found.startswith(found_text)
    assert ("--working-dir" in found.remedy) == (status == "fail")


def test_uncommitted_work_is_named() -> None:
    checkouts = (
        Checkout("catalog"),
        Checkout("inventory/classes/global", tuple(f"{n}.yml" for n in range(7))),
    )

    found = verdict("local work", **work(checkouts=checkouts))

    assert found.status == "warn"
    assert "inventory/classes/global: 0.yml, 1.yml" in found.found
    assert found.found.endswith("4.yml, and 2 more")
    assert "--force" in found.remedy


def test_a_broken_checkout_is_a_failure() -> None:
    found = verdict("local work", **work(checkouts=(Checkout("catalog", problem="not a repo"),)))

    assert (found.status, found.found) == ("fail", "catalog: not a repo")


@pytest.mark.parametrize(
    ("ages", "remedy"),
    [
        ([4000.0], "if no program is running there: rm '/srv/work/a b.lock'"),
        ([4000.0, 2.0], "wait: a program may be running there"),
    ],
)
def test_locks_left_over_are_named(ages: list[float], remedy: str) -> None:
    found = tuple(Lock(WORK / "a b.lock", age) for age in ages)

    found_text = verdict("locks", **work(locks=found))

    assert (found_text.status, found_text.remedy) == ("warn", remedy)
    assert "/srv/work/a b.lock" in found_text.found


@pytest.mark.parametrize(
    ("name", "mode", "remedy"),
    [
        ("token", 0o600, ""),
        ("token", 0o640, "chmod 600 /home/u/.cache/commodore/token"),
        ("token", 0o604, "chmod 600 /home/u/.cache/commodore/token"),
        ("tools", 0o755, ""),
        ("tools", 0o775, "chmod go-w /home/u/.cache/commodore/tools"),
        ("tools", 0o757, "chmod go-w /home/u/.cache/commodore/tools"),
    ],
)
def test_caches_that_others_get_at(name: str, mode: int, remedy: str) -> None:
    found = verdict("caches", caches=(Cache(CACHE / name, 12, mode),))

    assert found.remedy == remedy
    assert found.status == ("warn" if remedy else "ok")
    assert f"{name} 12 B (mode {mode:04o})" in found.found


def test_caches_have_their_size() -> None:
    sizes = (999, 1_000, 2_500_000, 3_200_000_000)
    found = verdict("caches", caches=tuple(Cache(CACHE / "c", size, 0o700) for size in sizes))

    assert [part.split(" (")[0] for part in found.found.split("c ")[1:]] == [
        "999 B",
        "1 kB",
        "2 MB",
        "3.2 GB",
    ]


def test_no_place_for_caches_is_a_warning() -> None:
    found = verdict("caches", cache=None, caches=())

    assert found.status == "warn"
    assert "XDG_CACHE_HOME" in found.remedy
