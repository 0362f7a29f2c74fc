"""Results of earlier runs on the command line: used, explained, compared, left alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine, Ran


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Two components."""
    return make_fleet(tmp_path, web={}, shop={})


def _compile(commodore: CommandLine, fleet: Fleet, *options: str) -> Ran:
    work, facts = str(fleet.work), str(fleet.root / "facts")
    return commodore("-d", work, "catalog", "compile", CLUSTER, "--api-url", facts, *options)


def _entries(ran: Ran) -> list[str]:
    return [line.removeprefix(" > ") for line in ran.err.splitlines() if ".jsonnet: " in line]


def _results() -> list[Path]:
    return list(Path(os.environ["XDG_CACHE_HOME"], "commodore", "results").rglob("*"))


def test_explained(commodore: CommandLine, fleet: Fleet) -> None:
    first = _compile(commodore, fleet, "--explain-cache")
    data = {"web": {"data": {"of": "new"}}}
    fleet.configure({"applications": ["web", "shop"], "parameters": data})
    second = _compile(commodore, fleet, "--explain-cache")

    shop, web = (
        f"{name}: jsonnet dependencies/{name}/component/main.jsonnet" for name in ("shop", "web")
    )
    missing = "compiled: there is no cached result"
    assert _entries(first) == [f"{shop}: {missing}", f"{web}: {missing}"]
    assert _entries(second) == [
        f"{shop}: taken from the cache",
        f"{web}: compiled: the inventory has changed: parameters.web",
    ]
    assert " > --explain-cache: of 2 results, 2 compiled\n" in first.err
    assert " > --explain-cache: of 2 results, 1 from the cache, 1 compiled\n" in second.err


def test_nothing_is_reported_by_default(commodore: CommandLine, fleet: Fleet) -> None:
    assert _entries(_compile(commodore, fleet)) == []


def test_without_results_nothing_is_cached(commodore: CommandLine, fleet: Fleet) -> None:
    ran = _compile(commodore, fleet, "--no-cache")

    assert ran.code == 0
    assert _results() == []


def test_everything_is_compiled_and_compared(commodore: CommandLine, fleet: Fleet) -> None:
    _compile(commodore, fleet)

    ran = _compile(commodore, fleet, "--verify-cache", "--explain-cache")

    assert ran.code == 0
    assert [line.rpartition(": ")[2] for line in _entries(ran)] == ["the cache holds the same"] * 2
    assert " > --verify-cache: 2 results compared with the cache: no difference\n" in ran.err


def test_what_cannot_be_compared_is_counted(commodore: CommandLine, fleet: Fleet) -> None:
    first = _compile(commodore, fleet, "--verify-cache")
    fleet.configure({"applications": ["web", "shop"], "parameters": {"web": {"data": {"of": "n"}}}})
    second = _compile(commodore, fleet, "--verify-cache")

    assert " > --verify-cache: 2 results not in the cache before\n" in first.err
    assert (
        " > --verify-cache: 1 result compared with the cache: no difference;"
        " 1 result not in the cache before\n" in second.err
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ("--explain-cache", "--no-cache"),
            "--explain-cache: everything is compiled because of --no-cache",
        ),
        (
            ("--verify-cache", "--engine", "reference"),
            "--verify-cache: the reference engine compiles everything and caches no results",
        ),
    ],
)
def test_a_cache_that_is_not_used_is_pointed_out(
    commodore: CommandLine, fleet: Fleet, options: tuple[str, ...], why: str
) -> None:
    ran = _compile(commodore, fleet, *options)

    assert ran.code == 0
    assert f" > {why}\n" in ran.err
    assert ran.err.count("-cache: ") == 1


def test_results_cannot_be_compared_without_them(commodore: CommandLine, fleet: Fleet) -> None:
    ran = _compile(commodore, fleet, "--verify-cache", "--no-cache")

    assert ran.code == 2
    assert "cannot be combined" in ran.err


def test_a_component_compiled_by_itself_finds_its_results(
    commodore: CommandLine, tmp_path: Path
) -> None:
    for name, content in configmap_component("web").items():
        (tmp_path / "component-web" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "component-web" / name).write_text(content)
    words = ("component", "compile", "component-web", "--explain-cache", "-o")
    first, second = (commodore(*words, str(tmp_path / name)) for name in ("a", "b"))

    assert (first.code, second.code) == (0, 0)
    assert _entries(first)[0].endswith("there is no cached result")
    assert _entries(second)[0].endswith("from the cache")


def test_cases_are_compared_and_counted_together(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        **configmap_component("web"),
        "tests/one.yml": "",
        "tests/two.yml": "",
        "tests/three.yml": "",
    }
    for name, content in files.items():
        (tmp_path / "component-web" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "component-web" / name).write_text(content)
    words = ("component", "test", "component-web")
    commodore(*words, "--update")

    alone, together = (
        commodore(*words, "--verify-cache", "--processes", number) for number in ("1", "2")
    )

    message = " > --verify-cache: 3 results compared with the cache: no difference\n"
    assert message in alone.err
    assert message in together.err
