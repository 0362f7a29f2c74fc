"""Edits that are killed, and edits at the same time: a file has old or new bytes, none is lost."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.faults

CLASSES = "inventory/classes"
CLUSTER = f"{CLASSES}/t-demo/c-demo-1.yml"
KILLS = int(os.environ.get("FAULT_ROUNDS", "15"))
WRITERS, EACH = 6, 5
EDITORS = int(os.environ.get("FAULT_EDITORS", "4"))
SECONDS = int(os.environ.get("FAULT_SECONDS", "10"))


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


def test_killed_edit_is_complete_or_absent(place: Path) -> None:
    draw = random.Random(20261124)  # noqa: S311 - moments
    file = place / CLUSTER
    before = file.read_bytes()
    began = time.monotonic()
    assert ended(edit(place, "set", "web_shop.replicas", "3")) == 0
    took = time.monotonic() - began
    after = file.read_bytes()
    file.write_bytes(before)
    ends = set()
    for _ in range(KILLS):
        process = edit(place, "set", "web_shop.replicas", "3")
        time.sleep(draw.uniform(0.3, 1.1) * took)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        ends.add(file.read_bytes())
        assert file.read_bytes() in (before, after)
        # Whatever is left behind, the next edit works.
        assert ended(edit(place, "set", "web_shop.replicas", "4")) == 0
        assert file.read_bytes() == after.replace(b"replicas: 3", b"replicas: 4")
        file.write_bytes(before)
    assert before in ends
    assert not (place / ".commodore/edit.new").exists()


def test_edits_lose_nothing_beside_scripts_and_compiles(place: Path) -> None:
    ends = time.monotonic() + SECONDS
    file = place / CLUSTER

    def write(writer: int) -> list[str]:
        written: list[str] = []
        for number in count():
            if time.monotonic() > ends:
                break
            name = f"w{writer}.n{number}"
            process = edit(place, "set", name, "1")
            _, error = process.communicate()
            if process.returncode == 0:
                written.append(name)
            else:
                assert b"was changed in the meantime" in error or b"another run" in error.lower()
        return written

    def append(script: int) -> list[str]:
        lines: list[str] = []
        while time.monotonic() < ends:
            lines.append(f"# script {script}, line {len(lines)}")
            opened = os.open(file, os.O_WRONLY | os.O_APPEND)
            os.write(opened, f"{lines[-1]}\n".encode())
            os.close(opened)
            time.sleep(0.5)
        return lines

    def compile_() -> int:
        done = 0
        while time.monotonic() < ends:
            words = ("catalog", "compile", "c-demo-1", "--local", "-F")
            command = (sys.executable, "-m", "commodore_py", "-d", str(place), *words)
            ran = subprocess.run(command, check=False, capture_output=True)
            # Among many edits, it may wait for its turn for too long.
            assert ran.returncode == 0 or b"another run" in ran.stderr, ran.stderr
            done += ran.returncode == 0
        return done

    with ThreadPoolExecutor(2 * EDITORS + 1) as pool:
        compiles = pool.submit(compile_)
        lines = [pool.submit(append, script) for script in range(EDITORS)]
        edits = [pool.submit(write, writer) for writer in range(EDITORS)]
        appended = [one for found in lines for one in found.result()]
        written = [one for found in edits for one in found.result()]

    text = file.read_text("utf-8")
    assert compiles.result()
    assert sorted(re.findall("^# script .*$", text, re.MULTILINE)) == sorted(appended)
    assert edited(text) == set(written)


def edited(text: str) -> set[str]:
    content = yaml.safe_load(text)["parameters"]
    return {
        f"{top}.{key}"
        for top in content
        if top[:1] == "w" and top != "web_shop"
        for key in content[top]
    }


def test_edits_at_the_same_time_are_written_or_refused(place: Path) -> None:
    def write(writer: int) -> list[str]:
        written = []
        for number in range(EACH):
            name = f"w{writer}.n{number}"
            process = edit(place, "set", name, "1")
            _, error = process.communicate()
            if process.returncode == 0:
                written.append(name)
            else:
                assert b"was changed in the meantime" in error or b"another run" in error.lower()
        return written

    with ThreadPoolExecutor(WRITERS) as pool:
        written = [name for found in pool.map(write, range(WRITERS)) for name in found]

    assert edited((place / CLUSTER).read_text("utf-8")) == set(written)
    # One is refused only if another one was written meanwhile.
    assert len(written) >= EACH
