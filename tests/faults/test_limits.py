"""Odd machines: other locales, clocks that jump, few files and processes."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.support.scenarios.killed_compiles import CLUSTER, pushed_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytestmark = pytest.mark.faults

_LONG = 300
_FUTURE = 10 * 365 * 24 * 3600
COMPILE = ("catalog", "compile", CLUSTER, "--push")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tree that an ordinary compile pushes."""
    demo = make(tmp_path_factory.mktemp("expected"))
    done = compile_in(demo)
    assert done.returncode == 0, done.stderr
    return pushed_tree(demo)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A demo that was not compiled yet."""
    return make(tmp_path)


def make(folder: Path) -> Path:
    write_demo(folder / "demo")
    return folder / "demo"


def compile_in(
    demo: Path,
    *more: str,
    limit: Callable[[], object] | None = None,
    before: tuple[str, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "COMMODORE_API_URL": "./facts",
        "XDG_CACHE_HOME": str(demo.parent / "cache"),
        **(variables or {}),
    }
    return subprocess.run(
        [*before, sys.executable, "-m", "commodore_py", *COMPILE, *more],
        cwd=demo,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=_LONG,
        preexec_fn=limit,
    )


def limited(kind: int, most: int) -> Callable[[], object]:
    return lambda: resource.setrlimit(kind, (most, most))


def is_understood(done: subprocess.CompletedProcess[str]) -> bool:
    return (
        done.returncode == 1
        and "error: " in done.stderr
        and "Traceback" not in done.stderr
        and "goroutine" not in done.stderr
    )


@pytest.mark.parametrize("files", [16, 24, 40, 100])
def test_few_open_files(demo: Path, expected: str, files: int) -> None:
    done = compile_in(demo, limit=limited(resource.RLIMIT_NOFILE, files))

    assert is_understood(done) or pushed_tree(demo) == expected, done.stderr
    again = compile_in(demo)
    assert again.returncode == 0, again.stderr
    assert pushed_tree(demo) == expected


@pytest.mark.parametrize("size", [0, 1000, 20_000])
def test_small_files_only(demo: Path, expected: str, size: int) -> None:
    done = compile_in(demo, limit=limited(resource.RLIMIT_FSIZE, size))

    assert is_understood(done) or pushed_tree(demo) == expected, done.stderr
    again = compile_in(demo)
    assert again.returncode == 0, again.stderr
    assert pushed_tree(demo) == expected


@pytest.mark.parametrize(
    "variables",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "tr_TR.UTF-8"},
        {"LC_ALL": "nowhere"},
        {"PYTHONIOENCODING": "ascii"},
        {"TZ": "Pacific/Kiritimati"},
        {"TZ": "nonsense"},
    ],
    ids=str,
)
def test_locales_and_time_zones_change_nothing(
    demo: Path, expected: str, variables: dict[str, str]
) -> None:
    done = compile_in(demo, variables=variables)

    assert done.returncode == 0, done.stderr
    assert pushed_tree(demo) == expected


@pytest.mark.parametrize("jump", [-_FUTURE, -3600, 3600, _FUTURE], ids=str)
def test_files_of_another_time_change_nothing(demo: Path, expected: str, jump: int) -> None:
    """As a clock leaves them that is set back, or forward, between two runs."""
    assert compile_in(demo).returncode == 0
    then = time.time() + jump
    for top in (demo, demo.parent / "cache"):
        for path in top.rglob("*"):
            if path.name != "facts" and "/repos/" not in str(path):
                os.utime(path, (then, then), follow_symlinks=False)

    done = compile_in(demo)

    assert done.returncode == 0, done.stderr
    assert pushed_tree(demo) == expected


@pytest.mark.parametrize("offsets", [("+10y", "-10y"), ("-10y", "+10y"), ("+1d", "+0d")], ids=str)
def test_jumping_clock_does_not_change_catalog(
    demo: Path, expected: str, offsets: tuple[str, str]
) -> None:
    faketime = shutil.which("faketime")
    if faketime is None:
        pytest.skip("no faketime: install it (Debian, Ubuntu: apt install faketime)")

    for offset in offsets:
        done = compile_in(demo, before=(faketime, "-f", offset))
        assert done.returncode == 0, done.stderr
        assert pushed_tree(demo) == expected
    done = compile_in(demo)
    assert done.returncode == 0, done.stderr
    assert pushed_tree(demo) == expected
