"""Compiles that are killed while a program works in a checkout: the next one finds it as it was."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.authoring import make_component_clone
from tests.support.builders import git
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "30"))
_FEW = range(1, 3)

# Works all over the checkout, for a while, and leaves a trace that it is at it.
SCRIPT = """#!/bin/sh
set -e
cd "$1"
cat prepared/a.yaml > "$2/made.yaml"
touch "$3"
for n in 1 2 3 4 5 6; do
  echo $n > data/$n.txt; echo changed >> data/tracked.txt; mkdir -p new/$n; echo $n > new/$n/x
  sleep 0.03
done
rm data/gone.txt; mv data/moved.txt moved.txt; echo local >> data/local.txt
cp -r new "$2/new"
"""
CODE = "{ a: { v: 1 } }"
FILES = {
    "run.sh": SCRIPT,
    "data/tracked.txt": "tracked\n",
    "data/gone.txt": "gone\n",
    "data/moved.txt": "moved\n",
    "prepared/a.yaml": "of the author\n",
}


def entries(trace: Path) -> list[dict[str, object]]:
    """Something prepared in the checkout, and a program that reads it."""
    base = "${_base_directory}"
    return [
        {
            "input_type": "jsonnet",
            "input_paths": [f"{base}/component/main.jsonnet"],
            "output_path": f"{base}/prepared",
        },
        {
            "input_type": "external",
            "input_paths": [f"{base}/run.sh"],
            "output_path": ".",
            "args": [base, r"\${compiled_target_dir}", str(trace)],
        },
    ]


class Author:
    """A component in a checkout with work that is not committed, compiled by itself."""

    def __init__(self, folder: Path) -> None:
        self.trace = folder / "trace"
        class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": entries(self.trace)}}})
        files = {**FILES, "class/one.yml": class_file}
        self.checkout = make_component_clone(folder, "one", files, code=CODE)
        (self.checkout / "run.sh").chmod(0o755)
        (self.checkout / "data/local.txt").write_text("mine")
        (self.checkout / "data/tracked.txt").write_text("tracked, and changed by me\n")
        output = str(folder / "out")
        self.words = ["component", "compile", str(self.checkout), "-o", output]
        self.made = folder / "out/compiled/one"
        self.folder = folder


class Cluster:
    """A catalog's compile with the same component."""

    def __init__(self, folder: Path) -> None:
        self.trace = folder / "trace"
        class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": entries(self.trace)}}})
        files = {**FILES, "class/web.yml": class_file, "component/main.jsonnet": CODE}
        fleet = make_fleet(folder / "fleet", web=files)
        self.words = ["-d", str(fleet.work), "catalog", "compile", CLUSTER]
        self.words += ["--api-url", str(fleet.root / "facts")]
        self.checkout = fleet.work / "dependencies/web"
        self.made = fleet.work / "compiled/web"
        self.folder = folder


Scene = Author | Cluster


def start(scene: Scene) -> subprocess.Popen[bytes]:
    """A compile in a process group of its own."""
    scene.trace.unlink(missing_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "commodore_py", *scene.words],
        env={**os.environ, "TMPDIR": str(scene.folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    _, log = process.communicate(timeout=120)
    assert process.returncode == 0, log.decode()


def state(checkout: Path) -> dict[str, object]:
    """Every file of a checkout with its mode; of Git's own, only what we put there."""
    found: dict[str, object] = {"status": git(checkout, "status", "--porcelain")}
    for path in sorted(checkout.rglob("*")):
        name = path.relative_to(checkout)
        if name.parts[0] != ".git" or "commodore" in str(name):
            mode = path.stat().st_mode
            found[str(name)] = (path.read_bytes(), mode) if path.is_file() else mode
    return found


def kill_while_the_program_works(scene: Scene, seed: int, *, alone: bool) -> None:
    process = start(scene)
    while not scene.trace.exists() and process.poll() is None:
        time.sleep(0.001)
    time.sleep(random.Random(seed).uniform(0, 0.25))  # noqa: S311 - no secret
    if alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def check(scene: Scene, seeds: range) -> None:
    finish(start(scene))
    before, made = state(scene.checkout), state_of_output(scene)
    for seed in seeds:
        # Every third time, the program goes on without the compile that started it.
        kill_while_the_program_works(scene, seed, alone=seed % 3 == 2)

        finish(start(scene))

        assert state(scene.checkout) == before, f"seed {seed}"
        assert state_of_output(scene) == made, f"seed {seed}"


def state_of_output(scene: Scene) -> dict[str, bytes]:
    files = sorted(path for path in scene.made.rglob("*") if path.is_file())
    return {str(path.relative_to(scene.made)): path.read_bytes() for path in files}


@pytest.mark.parametrize("kind", [Author, Cluster])
def test_killed_runs_leave_nothing_broken(kind: type[Scene], tmp_path: Path) -> None:
    check(kind(tmp_path), _FEW)


@pytest.mark.faults
@pytest.mark.parametrize("kind", [Author, Cluster])
def test_next_run_repairs_after_many_kills(kind: type[Scene], tmp_path: Path) -> None:
    check(kind(tmp_path), range(ROUNDS))
