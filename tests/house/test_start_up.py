"""Imports of the command: help loads nothing heavy, and our engine loads no other one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.fleet import CLUSTER, configmap_component, make_fleet

from .test_small_install import LEFT_OUT

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {
    *("_gojsonnet", "git", "hvac", "lupa", "kapitan", "pydantic", "reclass_rs", "requests", "rich")
}
FOREIGN = {"kapitan", "reclass_rs"}
OF_LIVE = {
    *("commodore_py.cli.commands.live", "commodore_py.live", "commodore_py.workflows.live", "lupa")
}
OF_ENDED_PROCESSES = {"psutil"}
DRIVER = """
import json, sys
from commodore_py.cli import run
code = run(sys.argv[1:])
sys.stderr.write(json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""
# Python imports this before anything else; children do, and forks have it.
WATCH = """
import sys

def told(event, arguments):
    if event != "import":
        return
    if arguments[0] in {watched!r}:
        with open({seen!r}, "a") as file:
            file.write(arguments[0] + "\\n")
    if arguments[0].partition(".")[0] in {left_out!r}:
        raise ModuleNotFoundError(f"{{arguments[0]}} is left out", name=arguments[0])

sys.addaudithook(told)
"""


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "catalog compile --help",
        "inventory show --help",
        "version --help",
    ],
)
def test_help_imports_nothing_heavy(words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *words.split()], capture_output=True, check=True, text=True
    )

    report = json.loads(done.stderr)
    assert report["code"] == 0
    assert done.stdout
    assert "commodore_py.cli.root" in report["modules"]
    assert not HEAVY & set(report["modules"])


@pytest.mark.parametrize(
    ("engine", "imported"), [("native", set()), ("reference", FOREIGN | OF_ENDED_PROCESSES)]
)
def test_compile_needs_its_own_engine_and_the_small_installation_only(
    engine: str, imported: set[str], tmp_path: Path
) -> None:
    fleet = make_fleet(tmp_path / "fleet", **{name: configmap_component(name) for name in "abcde"})
    seen = tmp_path / "seen"
    seen.touch()
    left_out = {name for names in LEFT_OUT.values() for name in names}
    hook = WATCH.format(
        watched=FOREIGN | OF_LIVE | OF_ENDED_PROCESSES, seen=str(seen), left_out=left_out
    )
    (tmp_path / "sitecustomize.py").write_text(hook)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))
    subprocess.run(
        [sys.executable, "-m", "commodore_py", "-d", str(fleet.work), *words, "--processes", "2"],
        env={**os.environ, "PYTHONPATH": path, "COMMODORE_ENGINE": engine},
        capture_output=True,
        check=True,
    )

    assert (fleet.work / "compiled/a/a/out.yaml").is_file()
    assert set(seen.read_text().split()) == imported
