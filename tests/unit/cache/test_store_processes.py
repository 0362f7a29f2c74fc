"""Several processes with one store, and one that removes it meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.store import Store
from tests.support.stores import damaged_in

from .conftest import files_in

if TYPE_CHECKING:
    from pathlib import Path

PROCESSES = 4
SECONDS = 1.0

# Everybody writes and reads the same contents and notes; whatever is found must be right.
_AT_WORK = """
import random, sys, time
from pathlib import Path
from commodore_py.cache.store import Store
chance, folder, end = random.Random(int(sys.argv[1])), Path(sys.argv[2]), float(sys.argv[3])
contents = [b"%d " % number * (number * 997) for number in range(40)]
rounds = found = 0
while rounds < 500 or time.time() < end:
    store = Store(folder)
    for _ in range(50):
        content = chance.choice(contents)
        digest = store.add_blob(content)
        stored = store.blob(digest)
        assert stored in (content, None)
        key = f"{chance.randrange(8):064x}"
        said = store.record(key)
        assert said is None or said in contents
        store.set_record(key, content)
        found += stored is not None
        rounds += 1
    if chance.random() < 0.1:
        store.tidy(100_000)
print(rounds, found)
"""


def at_work(folder: Path) -> list[subprocess.Popen[str]]:
    end = str(time.time() + SECONDS)
    return [
        subprocess.Popen(
            [sys.executable, "-c", _AT_WORK, str(number), str(folder), end],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]


def ended_well(processes: list[subprocess.Popen[str]]) -> tuple[int, int]:
    """How many contents were stored and how many of them found, without any error output."""
    output = [process.communicate(timeout=60) for process in processes]
    assert [
        (process.returncode, err) for process, (_, err) in zip(processes, output, strict=True)
    ] == [(0, "")] * PROCESSES
    counts = [tuple(map(int, out.split())) for out, _ in output]
    return sum(one[0] for one in counts), sum(one[1] for one in counts)


@pytest.mark.slow
def test_processes_share_a_store(tmp_path: Path) -> None:
    stored, found = ended_well(at_work(tmp_path / "store"))

    store = Store(tmp_path / "store")
    assert stored > 0
    assert found > 0.9 * stored
    assert damaged_in(store) == ()
    assert not [file for file in files_in(store) if file.name.endswith(".new")]


@pytest.mark.slow
def test_a_store_is_removed_while_processes_use_it(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    processes = at_work(folder)
    removed = 0

    while any(process.poll() is None for process in processes):
        removed += folder.exists()
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.005)

    stored, found = ended_well(processes)
    assert removed > 10
    assert 0 < found <= stored
    assert damaged_in(Store(folder)) == ()


def test_processes_are_killed_at_work(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    processes = at_work(folder)
    while not Store(folder).usage().records:
        time.sleep(0.01)

    for process in processes:
        time.sleep(0.05)
        process.kill()
        process.communicate()

    store = Store(folder)
    stored = store.usage()
    assert stored.bytes > 0
    assert damaged_in(store) == ()
    for left in folder.rglob("*.new"):
        os.utime(left, (1e9, 1e9))
    store.prune(1 << 30)
    assert not list(folder.rglob("*.new"))
    assert store.usage() == stored
