"""A compile that is killed leaves nothing half done that the next one does not mend."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.builders import git, git_says

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.faults

CLUSTER = "c-demo-1"
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "20"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, float]:
    """The catalog's tree after an undisturbed push, and how long that took."""
    demo = tmp_path_factory.mktemp("undisturbed") / "demo"
    write_demo(demo)
    began = time.monotonic()
    process = _compile(demo)
    said = process.communicate()[1].decode()
    assert process.returncode == 0, said
    return _pushed_tree(demo), time.monotonic() - began


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_next_compile_heals_what_a_kill_left(
    tmp_path: Path, expected: tuple[str, float], seed: int
) -> None:
    tree, seconds = expected
    demo = tmp_path / "demo"
    write_demo(demo)
    process = _compile(demo)
    time.sleep(random.Random(seed).uniform(0, seconds))  # noqa: S311 - a moment, not a secret
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    assert git_says(_catalog(demo), "fsck", "--no-progress")
    assert _pushed_tree(demo) in ("", tree), "the remote holds half a catalog"
    again = _compile(demo)
    said = again.communicate()[1].decode()

    assert again.returncode == 0, said
    assert _pushed_tree(demo) == tree


def _compile(demo: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "commodore_py", "catalog", "compile", CLUSTER, "--push"],
        cwd=demo,
        env={**os.environ, "COMMODORE_API_URL": "./facts", "GIT_AUTHOR_NAME": "Killed"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _catalog(demo: Path) -> Path:
    return demo / "repos" / f"catalog-{CLUSTER}.git"


def _pushed_tree(demo: Path) -> str:
    if not git_says(_catalog(demo), "rev-parse", "--verify", "refs/heads/master"):
        return ""
    return git(_catalog(demo), "rev-parse", "refs/heads/master^{tree}")
