"""`commodore cache …` and results: how many, how old, how large, and whether they are whole."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import write_if_changed
from commodore_py.cache.store import Store, digest_of
from commodore_py.dependencies.downloads.store import Store as Downloads
from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.git.object_cache import ObjectCache
from tests.support.fleet import make_fleet
from tests.support.scenarios.dependencies import component

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

KEY = "c0ffee" * 8
BLOCK = 4096
DAY = 86400.0


def cache() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"], "commodore")


@pytest.fixture
def store() -> Store:
    """Three contents and a note, the last of them used lately."""
    store = Store(cache() / "results")
    for days, content in ((40, b"old"), (20, b"older than some"), (0, b"new")):
        (file,) = store.folder.rglob(store.keep(content)[2:])
        moment = time.time() - days * DAY
        os.utime(file, (moment, moment))
    store.note(KEY, b"note")
    return store


@pytest.mark.usefixtures("store")
def test_info_counts_results(commodore: CommandLine) -> None:
    ran = commodore("cache", "info")

    _, _, rest = ran.out.partition("RESULTS  NOTES  ON DISK   LIMIT    LAST USED\n")
    row = rest.splitlines()[0].split("  ")
    assert [cell.strip() for cell in row if cell][:4] == ["3", "1", "16.0 KiB", "2.0 GiB"]
    assert time.strftime("%Y-%m-%d") in rest


def test_info_for_programs(commodore: CommandLine, store: Store) -> None:
    ran = commodore("--cache-size", "1.5M", "cache", "info", "-o", "json")

    results = json.loads(ran.out)["results"]
    moment = results.pop("last_used")
    assert moment.startswith("20")
    assert results == {
        "path": str(store.folder),
        "contents": 3,
        "notes": 1,
        "bytes": 4 * BLOCK,
        "limit": 1572864,
        "doubt": None,
    }


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ((), [b"older than some", b"new"]),
        (("--older-than", "10"), [b"new"]),
        (("--older-than", "1000"), [b"old", b"older than some", b"new"]),
        (("--max-size", "12k"), [b"older than some", b"new"]),
        (("--max-size", "8KiB"), [b"new"]),
        (("--max-size", "0"), []),
        (("--all",), []),
    ],
)
def test_prune_takes_results_by_age_and_size(
    commodore: CommandLine, store: Store, words: tuple[str, ...], left: list[bytes]
) -> None:
    ran = commodore("cache", "prune", *words, "-o", "json")

    contents = (b"old", b"older than some", b"new")
    assert [one for one in contents if store.blob(digest_of(one)) is not None] == left
    content = json.loads(ran.out)
    removed = content["results"]["files"]
    assert content["freed"] == content["results"]["freed"] == removed * BLOCK
    assert content["results"]["left"] == store.usage().bytes


@pytest.mark.usefixtures("store")
def test_prune_keeps_to_the_size_that_is_set(commodore: CommandLine) -> None:
    settings = Path(os.environ["HOME"], ".config/commodore/config.toml")
    write_if_changed(settings, b'cache-size = "8k"\n')

    ran = commodore("cache", "prune", "--older-than", "1000")

    assert ran.out == "2 results, 8.0 KiB freed\n"


@pytest.mark.parametrize("size", ["", "much", "-1", "5 apples", "1e3"])
def test_a_size_is_a_size(commodore: CommandLine, size: str) -> None:
    ran = commodore("cache", "prune", "--max-size", size)

    assert ran.code == 2
    assert f"'{size}' is not a valid size; write it like 500M or 2GiB." in ran.err


def test_a_size_in_the_settings_is_a_size(commodore: CommandLine) -> None:
    settings = Path(os.environ["HOME"], ".config/commodore/config.toml")
    write_if_changed(settings, b'\ncache-size = "big"\n')

    ran = commodore("cache", "info")

    assert ran.code == 1
    assert "cache-size: 'big' is not a valid size" in ran.err
    assert f"{settings}:2" in ran.err


def test_prune_takes_one_option(commodore: CommandLine) -> None:
    ran = commodore("cache", "prune", "--all", "--max-size", "1M")

    assert ran.code == 2
    assert "--all and --max-size cannot be combined" in ran.err


def test_compiles_keep_to_the_size_that_is_set(commodore: CommandLine, facts: str) -> None:
    words = ("catalog", "compile", "c-demo-2", "--api-url", facts)
    assert commodore("-d", "one", *words).code == 0
    whole = Store(cache() / "results").usage().bytes
    for marker in ("looked", "swept"):  # a sample may say too little of a small store
        (cache() / "results" / marker).unlink()

    ran = commodore("--cache-size", f"{whole // 2048}k", "-d", "two", *words)

    assert ran.code == 0
    assert 0 < Store(cache() / "results").usage().bytes <= whole // 2


@pytest.mark.usefixtures("store")
def test_verify_finds_nothing_where_all_is_right(commodore: CommandLine) -> None:
    ran = commodore("cache", "verify")

    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "results: 4 verified, no damage"
    assert ran.err == ""


def test_verify_removes_what_is_damaged(commodore: CommandLine, store: Store) -> None:
    (file,) = store.folder.rglob(digest_of(b"new")[2:])
    file.write_bytes(b"=next")

    first, second = commodore("cache", "verify"), commodore("cache", "verify", "-o", "json")

    assert first.code == 1
    assert "results: 4 verified, 1 damaged and removed\n" in first.out
    assert f"removed {file}" in first.err
    assert second.code == 0
    results = json.loads(second.out)["folders"][-1]
    assert results == {"name": "results", "path": str(store.folder), "read": 3, "damaged": []}


def test_verify_reads_downloads(commodore: CommandLine) -> None:
    downloads = Downloads(cache() / "downloads")
    for name in ("good", "bad"):
        with downloads.incoming() as folder:
            (folder / name).write_text(name)
            known = downloads.add(folder / name, name, "file", name)
    damaged = downloads.content(known)
    damaged.write_text("worse")

    ran = commodore("cache", "verify", "-o", "json")

    assert ran.code == 1
    (found,) = [one for one in json.loads(ran.out)["folders"] if one["name"] == "downloads"]
    assert (found["read"], found["damaged"]) == (2, [str(damaged)])
    assert downloads.find("file", "good") is not None
    assert downloads.find("file", "bad") is None


def test_verify_reads_objects_of_repositories(commodore: CommandLine, tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path / "fleet", one={}, two={})
    fetch = fetcher(fleet.config(git_cache=cache() / "git"))
    fetch([component(fleet.repository(f"component-{name}"), name=name) for name in ("one", "two")])
    one, two = sorted(ObjectCache(cache() / "git").entries())
    pack = next((one / "objects/pack").glob("*.pack"))
    pack.chmod(0o600)
    content = pack.read_bytes()
    pack.unlink()  # working directories have the same file
    pack.write_bytes(content[:30] + b"!" + content[31:])

    ran = commodore("cache", "verify")

    assert ran.code == 1
    assert "git: 2 verified, 1 damaged and removed\n" in ran.out
    assert f"removed {one}: {pack.name} was changed or cut off" in ran.err
    assert (one.exists(), two.exists()) == (False, True)


def test_a_folder_that_others_may_write_to_is_reported(
    commodore: CommandLine, store: Store
) -> None:
    store.folder.chmod(0o777)

    info = commodore("cache", "info", "-o", "json")
    verified = commodore("cache", "verify")

    assert info.code == 0
    assert json.loads(info.out)["results"]["doubt"] == "other users may write to it"
    assert verified.code == 1
    assert "warning: the result cache is not used: other users may write to it" in verified.err
    assert "hint: remove it" in verified.err
    assert store.usage().blobs == 3
