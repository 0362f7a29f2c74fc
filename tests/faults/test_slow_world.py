"""Servers, remotes and programs that are silent or drip, through the command: an error in time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.fleet import CLUSTER, make_fleet
from tests.support.scenarios.interrupted_runs import session_of, start
from tests.support.servers import misbehaving

from .test_signals import WAITING, waiting_for

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

_LONG = 60
SHORT = ("git-idle=3", "request=2", "git=20")


def with_limits(folder: Path, limits: Iterable[str]) -> dict[str, str]:
    """The variable of a settings file with these time limits."""
    file = folder / "config" / "commodore" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(["[time-limits]", *limits]))
    return {"XDG_CONFIG_HOME": str(folder / "config")}


def run(words: list[str], folder: Path, variables: dict[str, str]) -> tuple[int, str, float]:
    """Run the command to its end; nothing of it may be left."""
    began = time.monotonic()
    process = start(words, folder, variables)
    _, output = process.communicate(timeout=_LONG)
    seconds = time.monotonic() - began
    assert session_of(process.pid) == ()
    return process.returncode, output.decode(), seconds


@pytest.mark.parametrize("where", WAITING)
def test_every_wait_has_a_time_limit(tmp_path: Path, where: str) -> None:
    behave, scheme, kind = WAITING[where]
    with misbehaving.serve(behave) as server:
        words, variables = waiting_for(tmp_path, f"{scheme}://{server.host}", kind)
        if where == "a silent API":
            variables["COMMODORE_REQUEST_TIMEOUT"] = "2"
        code, output, _ = run(words, tmp_path, variables | with_limits(tmp_path, SHORT))

    assert code == 1, output
    assert "time-limits." in output or "--request-timeout" in output
    assert server.host in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "where", ["a silent API", "an API that drips", "a silent Git remote", "a Git remote that drips"]
)
def test_default_time_limits_are_short(tmp_path: Path, where: str) -> None:
    behave, scheme, kind = WAITING[where]
    with misbehaving.serve(behave) as server:
        words, variables = waiting_for(tmp_path, f"{scheme}://{server.host}", kind)
        del variables["COMMODORE_REQUEST_TIMEOUT"]
        code, output, seconds = run(words, tmp_path, variables)

    assert code == 1, output
    assert seconds < _LONG
    assert where == "a silent API" or "still waiting for " in output


PROGRAMS = {
    "never ends": ("exec sleep 1000", ["program=3"], 1),
    "does nothing": ("sleep 1000; true", ["program=3"], 1),
    "prints without end": ("while true; do echo x; done", ["program=3"], 1),
    "ignores signals": ("trap '' TERM INT HUP; while true; do sleep 1; done", ["program=3"], 1),
    "leaves others behind": ("sleep 1000 & sleep 1000 & sleep 1000", ["program=3"], 1),
    "leaves a daemon that holds its output": ("sleep 15 & exit 0", [], 0),
    "leaves a daemon in a session of its own": ("setsid sleep 15 & exit 0", [], 0),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_hanging_program_is_ended(tmp_path: Path, what: str) -> None:
    script, limits, expected = PROGRAMS[what]
    base = "${_base_directory}"
    entry = {"input_type": "external", "input_paths": [f"{base}/run.sh"], "output_path": "."}
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": [entry]}}})
    files = {"class/web.yml": class_file, "run.sh": f"#!/bin/sh\n{script}\n"}
    fleet = make_fleet(tmp_path / "fleet", web=files)
    words = ["-d", str(fleet.work), "catalog", "compile", CLUSTER]
    words += ["--api-url", str(fleet.root / "facts")]

    began = time.monotonic()
    # A shell, so that the mode of the script does not matter.
    process = start(words, tmp_path, dict(os.environ) | with_limits(tmp_path, limits))
    _, output = process.communicate(timeout=_LONG)

    assert process.returncode == expected, output.decode()
    assert time.monotonic() - began < _LONG
    if expected:
        assert "run.sh was ended" in output.decode()
        assert session_of(process.pid) == ()


def test_daemon_process_is_not_waited_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DAEMON], capture_output=True, check=True, text=True, cwd=tmp_path
    )

    assert float(done.stdout) < 12


DAEMON = """
import time
from commodore_py.adapters.process import run
began = time.monotonic()
run(["sh", "-c", "sleep 30 & exit 0"])
print(time.monotonic() - began)
"""
