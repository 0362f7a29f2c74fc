"""`commodore cache`: repositories that are used, or share files with checkouts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.git.mirrors import Mirrors
from tests.support.fleet import Fleet, make_fleet
from tests.support.scenarios.dependencies import component

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path / "fleet", one={}, two={})


def fill(fleet: Fleet) -> None:
    """What a compile does to the cache, and no more of it."""
    fetch = fetcher(fleet.config(git_cache=cache()))
    fetch([component(fleet.repository(f"component-{name}"), name=name) for name in ("one", "two")])


def cache() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"]) / "commodore" / "git"


def entry(fleet: Fleet, name: str) -> Path:
    return cache() / str(fleet.repository(f"component-{name}")).strip("/")


def name_of(fleet: Fleet, name: str) -> str:
    return str(fleet.repository(f"component-{name}")).strip("/")


def test_cache_size_counts_only_unshared_files_as_freed(
    commodore: CommandLine, fleet: Fleet
) -> None:
    fill(fleet)

    (one, _) = json.loads(commodore("cache", "info", "-o", "json").out)["repositories"]

    packs = (entry(fleet, "one") / "objects/pack").iterdir()
    shared = sum(pack.stat().st_size for pack in packs if pack.stat().st_nlink > 1)
    assert shared > 0
    assert one["bytes"] == one["freed_if_removed"] + shared


def test_prune_keeps_repository_in_use(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)

    with Mirrors(cache()).locked(entry(fleet, "one"), patience=1):
        ran = commodore("cache", "prune", "--all")

    assert ran.code == 0
    assert f"warning: {name_of(fleet, 'one')} is kept: another process is using it" in ran.err
    assert entry(fleet, "one").exists()
    assert not entry(fleet, "two").exists()
