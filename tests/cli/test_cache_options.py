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


def test_verbose_compile_explains_cache_misses(commodore: CommandLine, fleet: Fleet) -> None:
    first = _compile(commodore, fleet, "-vv")
    data = {"web": {"data": {"of": "new"}}}
    fleet.configure({"applications": ["web", "shop"], "parameters": data})
    second = _compile(commodore, fleet, "-vv")

    shop, web = (
        f"{name}: jsonnet dependencies/{name}/component/main.jsonnet" for name in ("shop", "web")
    )
    missing = "compiled: there is no cached result"
    assert _entries(first) == [f"{shop}: {missing}", f"{web}: {missing}"]
    assert _entries(second) == [
        f"{shop}: taken from the cache",
        f"{web}: compiled: the inventory has changed: parameters.web.data",
    ]


def test_unread_parameter_does_not_invalidate_result(commodore: CommandLine, fleet: Fleet) -> None:
    for value in ("old", "new"):
        web = {"unread": value, "also": {"unread": value}}
        fleet.configure({"applications": ["web", "shop"], "parameters": {"web": web}})
        ran = _compile(commodore, fleet, "-vv")

    assert all(line.endswith(": taken from the cache") for line in _entries(ran))


def test_cache_hits_are_not_reported_by_default(commodore: CommandLine, fleet: Fleet) -> None:
    assert _entries(_compile(commodore, fleet)) == []


def test_no_cache_option_stores_no_result(commodore: CommandLine, fleet: Fleet) -> None:
    ran = _compile(commodore, fleet, "--no-cache")

    assert ran.code == 0
    assert _results() == []


def test_component_compile_reuses_cached_results(commodore: CommandLine, tmp_path: Path) -> None:
    for name, content in configmap_component("web").items():
        (tmp_path / "component-web" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "component-web" / name).write_text(content)
    words = ("component", "compile", "component-web", "-vv", "-o")
    first, second = (commodore(*words, str(tmp_path / name)) for name in ("a", "b"))

    assert (first.code, second.code) == (0, 0)
    assert _entries(first)[0].endswith("there is no cached result")
    assert _entries(second)[0].endswith("from the cache")
