"""Compiles that go on at the same time: in one working directory, and in several with one cache."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import read_tree
from commodore_py.cache.store import Store
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.run_lock import exclusive_run, shared_lock
from commodore_py.errors import CommodoreError
from commodore_py.workflows.demo import write_demo
from tests.support.stores import damaged_in

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.tree import Tree

CLUSTER = "c-demo-1"
DIRECTORIES = 2


class Playground:
    """The demo, and what it compiles to when nothing is kept from before."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_demo(root / "demo")
        code, output = ended(self.begin("alone", cache="another"))
        assert code == 0, output
        self.expected = self.made_in("alone")

    def begin(self, work: str, cache: str = "cache") -> subprocess.Popen[str]:
        """Start a compile."""
        words = ("-d", str(self.root / work), "catalog", "compile", CLUSTER)
        return subprocess.Popen(
            [sys.executable, "-m", "commodore_py", *words],
            env={
                **os.environ,
                "COMMODORE_API_URL": str(self.root / "demo/facts"),
                "XDG_CACHE_HOME": str(self.root / cache),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def made_in(self, work: str) -> tuple[Tree, Tree]:
        """What was compiled in a working directory."""
        folder = self.root / work
        return read_tree(folder / "compiled"), read_tree(folder / "catalog/manifests")

    @property
    def store(self) -> Store:
        """The store that these compiles share."""
        return Store(self.root / "cache/commodore/results")


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=120)
    return process.returncode, output


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Playground:
    return Playground(tmp_path_factory.mktemp("playground"))


@pytest.mark.long
def test_concurrent_compiles_share_a_store(playground: Playground) -> None:
    names = [f"work {number}" for number in range(DIRECTORIES)]

    runs = [ended(process) for process in [playground.begin(name) for name in names]]

    assert [code for code, _ in runs] == [0] * DIRECTORIES, runs
    for name in names:
        assert playground.made_in(name) == playground.expected
    assert playground.store.usage().blobs > 0
    assert damaged_in(playground.store) == ()


def test_concurrent_compiles_in_one_directory_wait_or_fail(playground: Playground) -> None:
    runs = [ended(process) for process in [playground.begin("shared") for _ in range(2)]]

    assert 0 in {code for code, _ in runs}
    for code, output in runs:
        assert code == 0 or (
            code == 1
            and "is running in this working directory" in output
            and "hint: wait" in output
        ), output
    assert any("waiting for another run" in output for _, output in runs)
    assert playground.made_in("shared") == playground.expected
    assert damaged_in(playground.store) == ()


def test_shared_lock_waits_for_running_compile(tmp_path: Path) -> None:
    paths = WorkPaths(tmp_path)
    with exclusive_run(paths):
        pass
    holder = (
        "import fcntl, sys; file = open(sys.argv[1], 'r+');"
        "fcntl.lockf(file, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path / ".commodore/lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"

        with (
            pytest.raises(CommodoreError, match="is running in this working directory"),
            shared_lock(paths, patience=0.1),
        ):
            pytest.fail("it was read")
        process.communicate()

    with shared_lock(paths, patience=0.1):
        pass
