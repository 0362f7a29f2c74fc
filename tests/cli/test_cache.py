"""`commodore cache …`, and the option of compiles that goes with it."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.git.mirrors import Mirrors
from tests.support.builders import git, url_of
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.scenarios.dependencies import component

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine, Ran


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path / "fleet", one={}, two={})


def compile_(commodore: CommandLine, fleet: Fleet, *options: str, **variables: str) -> Ran:
    facts = str(fleet.root / "facts")
    arguments = ("catalog", "compile", CLUSTER, "--api-url", facts, *options)
    ran = commodore("-d", str(fleet.work), *arguments, **variables)
    assert ran.code == 0, ran.err
    return ran


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


def not_used_for(days: int, entry: Path) -> None:
    for path in (entry, *entry.iterdir()):
        os.utime(path, times=(time.time() - days * 86400,) * 2)


def test_second_compile_copies_from_filled_cache(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)
    shutil.rmtree(fleet.work)

    compile_(commodore, fleet)

    clone = fleet.work / "dependencies/.repos" / name_of(fleet, "one")
    assert "count: 0\n" in git(clone, "count-objects", "-v")
    assert git(clone, "config", "remote.origin.url") == url_of(fleet.repository("component-one"))


def test_cache_info_prints_table_of_repositories(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)

    ran = commodore("cache", "info")

    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == str(cache().parent)
    assert [line.split()[0] for line in lines if line.startswith("git")] == ["git"]
    today = time.strftime("%Y-%m-%d")
    for name in ("one", "two"):
        (line,) = [line for line in lines if line.startswith(name_of(fleet, name))]
        assert "KiB" in line
        assert today in line


def test_cache_info_prints_json(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)
    not_used_for(3, entry(fleet, "one"))

    ran = commodore("cache", "info", "-o", "json")

    content = json.loads(ran.out)
    one, two = content["repositories"]
    assert content["schema"] == "cache-info/v1"
    assert content["folder"] == str(cache().parent)
    (folder,) = [one for one in content["folders"] if one["name"] == "git"]
    assert folder["path"] == str(cache())
    assert folder["bytes"] >= one["bytes"] + two["bytes"] > 0
    assert [one["name"], two["name"]] == [name_of(fleet, "one"), name_of(fleet, "two")]
    assert one["path"] == str(entry(fleet, "one"))
    assert one["last_used"] < two["last_used"]


def test_cache_size_counts_only_unshared_files_as_freed(
    commodore: CommandLine, fleet: Fleet
) -> None:
    fill(fleet)

    (one, _) = json.loads(commodore("cache", "info", "-o", "json").out)["repositories"]

    packs = (entry(fleet, "one") / "objects/pack").iterdir()
    shared = sum(pack.stat().st_size for pack in packs if pack.stat().st_nlink > 1)
    assert shared > 0
    assert one["bytes"] == one["freed_if_removed"] + shared


def test_empty_cache_lists_and_prunes_nothing(commodore: CommandLine) -> None:
    info = commodore("cache", "info", "-o", "json")
    pruned = commodore("cache", "prune")

    assert json.loads(info.out)["repositories"] == []
    assert (info.code, pruned.code) == (0, 0)
    assert pruned.out == "nothing to remove\n"


def test_prune_removes_unused_repositories(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)
    not_used_for(31, entry(fleet, "one"))
    not_used_for(29, entry(fleet, "two"))

    ran = commodore("cache", "prune")

    assert ran.out.startswith("1 repository, ")
    assert f"removed {name_of(fleet, 'one')}\n" in ran.err
    assert not entry(fleet, "one").exists()
    assert entry(fleet, "two").exists()


def test_prune_removes_all(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)

    ran = commodore("cache", "prune", "--all")

    assert ran.out.startswith("2 repositories, ")
    assert [path.name for path in cache().iterdir()] == [".locks"]
    git(fleet.work / "dependencies/one", "fsck")
    fill(fleet)


def test_prune_keeps_repository_in_use(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)

    with Mirrors(cache()).locked(entry(fleet, "one"), patience=1):
        ran = commodore("cache", "prune", "--all")

    assert ran.code == 0
    assert f"warning: {name_of(fleet, 'one')} is kept: another process is using it" in ran.err
    assert entry(fleet, "one").exists()
    assert not entry(fleet, "two").exists()


def test_prune_removes_leftovers_of_killed_runs(commodore: CommandLine, fleet: Fleet) -> None:
    fill(fleet)
    parent = entry(fleet, "one").parent
    old, new = (parent / f".commodore-1-{digits}.new" for digits in ("00000000", "11111111"))
    for aside in (old, new):
        git(parent, "init", "--quiet", "--bare", aside.name)
    not_used_for(1, old)

    listed = json.loads(commodore("cache", "info", "-o", "json").out)["repositories"]
    commodore("cache", "prune")

    assert len(listed) == 2
    assert not old.exists()
    assert new.exists()


def test_cache_folder_follows_xdg_cache_home(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("cache", "info", XDG_CACHE_HOME=str(tmp_path / "elsewhere"))

    assert ran.code == 0
    assert ran.out.startswith(str(tmp_path / "elsewhere" / "commodore"))
