"""Edits that are killed, and edits at the same time: a file has old or new bytes, none is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.faults

CLUSTER = "inventory/classes/t-demo/c-demo-1.yml"
KILLS = 40
WRITERS, EACH = 6, 5


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A playground with a compiled cluster."""
    demo = tmp_path / "demo"
    write_demo(demo)
    words = ("catalog", "compile", "c-demo-1", "--api-url", str(demo / "facts"))
    assert run(("-d", str(demo), *words)) == 0
    return demo


def edit(place: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-m", "commodore_py", "-d", str(place), "edit", *words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ,
    )


def ended(process: subprocess.Popen[bytes]) -> int:
    process.communicate()
    return process.returncode


def test_a_killed_edit_leaves_all_or_nothing(place: Path) -> None:
    draw = random.Random(20261124)  # noqa: S311 - moments
    file = place / CLUSTER
    before = file.read_bytes()
    began = time.monotonic()
    assert ended(edit(place, "set", "web_shop.replicas", "3", "--validate", "inventory")) == 0
    took = time.monotonic() - began
    after = file.read_bytes()
    assert ended(edit(place, "undo")) == 0
    ends = set()
    for _ in range(KILLS):
        process = edit(place, "set", "web_shop.replicas", "3", "--validate", "inventory")
        time.sleep(draw.uniform(0.3, 1.1) * took)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        ends.add(file.read_bytes())
        assert file.read_bytes() in (before, after)
        # Whatever is left behind, the next edit works, and is undone.
        assert ended(edit(place, "set", "web_shop.replicas", "4", "--validate", "none")) == 0
        assert ended(edit(place, "undo")) == 0
        assert file.read_bytes() in (before, after)
        file.write_bytes(before)
    assert before in ends
    assert not [one for one in file.parent.iterdir() if one.name.startswith(".c-demo")]


def test_edits_at_the_same_time_are_written_or_refused(place: Path) -> None:
    def write(writer: int) -> list[str]:
        written = []
        for number in range(EACH):
            name = f"w{writer}.n{number}"
            process = edit(place, "set", name, "1", "--validate", "none")
            _, error = process.communicate()
            if process.returncode == 0:
                written.append(name)
            else:
                assert b"was changed in the meantime" in error or b"another run" in error.lower()
        return written

    with ThreadPoolExecutor(WRITERS) as pool:
        written = [name for found in pool.map(write, range(WRITERS)) for name in found]

    content = yaml.safe_load((place / CLUSTER).read_text("utf-8"))["parameters"]
    there = {
        f"{top}.{key}"
        for top in content
        if top[:1] == "w"
        for key in content[top]
        if top != "web_shop"
    }
    assert there == set(written)
    assert len(written) >= WRITERS
