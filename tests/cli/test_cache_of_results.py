"""`commodore cache …` and results: how many, how old, how large, and whether they are whole."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import write_if_changed
from commodore_py.cache.digests import digest
from commodore_py.cache.store import Store
from tests.support.tables import each

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

KEY = "c0ffee" * 8
BLOCK = 4096
DAY = 86400.0


def cache() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"], "commodore")


def limit(size: str) -> Path:
    """Set the limit of cached results."""
    file = Path(os.environ["HOME"], ".config/commodore/config.toml")
    write_if_changed(file, f'cache-size = "{size}"\n'.encode())
    return file


@pytest.fixture
def store() -> Store:
    """Three contents and a note, the last of them used lately."""
    store = Store(cache() / "results")
    for days, content in ((40, b"old"), (20, b"older than some"), (0, b"new")):
        (file,) = store.folder.rglob(store.add_blob(content)[2:])
        moment = time.time() - days * DAY
        os.utime(file, (moment, moment))
    store.set_record(KEY, b"note")
    return store


@pytest.mark.usefixtures("store")
def test_info_counts_results(commodore: CommandLine) -> None:
    ran = commodore("cache", "info")

    _, _, rest = ran.out.partition("RESULTS  NOTES  ON DISK   LIMIT    LAST USED\n")
    row = rest.splitlines()[0].split("  ")
    assert [cell.strip() for cell in row if cell][:4] == ["3", "1", "16.0 KiB", "2.0 GiB"]
    assert time.strftime("%Y-%m-%d") in rest


def test_cache_info_prints_results_as_json(commodore: CommandLine, store: Store) -> None:
    limit("1.5M")

    ran = commodore("cache", "info", "-o", "json")

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
        (("--all",), []),
    ],
)
def test_prune_takes_results_by_age(
    commodore: CommandLine, store: Store, words: tuple[str, ...], left: list[bytes]
) -> None:
    ran = commodore("cache", "prune", *words, "-o", "json")

    contents = (b"old", b"older than some", b"new")
    assert [one for one in contents if store.blob(digest(one)) is not None] == left
    content = json.loads(ran.out)
    removed = content["results"]["files"]
    assert content["freed"] == content["results"]["freed"] == removed * BLOCK
    assert content["results"]["left"] == store.usage().bytes


@pytest.mark.usefixtures("store")
def test_prune_respects_size_limit(commodore: CommandLine) -> None:
    limit("8k")

    ran = commodore("cache", "prune")

    assert ran.out == "2 results, 8.0 KiB freed\n"


@each("size", ["", "much", "-1", "5 apples", "1e3"])
def test_invalid_cache_size_in_settings_is_an_error(commodore: CommandLine, size: str) -> None:
    file = limit(size)

    ran = commodore("cache", "info")

    assert ran.code == 1
    assert f"cache-size: '{size}' is not a valid size" in ran.err
    assert str(file) in ran.err


def test_compile_respects_size_limit(commodore: CommandLine, facts: str) -> None:
    words = ("catalog", "compile", "c-demo-2", "--api-url", facts)
    assert commodore("-d", "one", *words).code == 0
    whole = Store(cache() / "results").usage().bytes
    (cache() / "results/swept").unlink()
    limit(f"{whole // 2048}k")

    ran = commodore("-d", "two", *words)

    assert ran.code == 0
    assert 0 < Store(cache() / "results").usage().bytes <= whole // 2


def test_result_cache_writable_by_others_is_reported(commodore: CommandLine, store: Store) -> None:
    store.folder.chmod(0o777)

    info = commodore("cache", "info", "-o", "json")

    assert info.code == 0
    assert json.loads(info.out)["results"]["doubt"] == "other users may write to it"
    assert "warning: the result cache is not used: other users may write to it" in info.err
    assert "hint: remove it" in info.err
    assert store.usage().blobs == 3
