"""Asking for help imports nothing heavy: it must not pay for what it does not use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    *(
        "_gojsonnet",
        "git",
        "hvac",
        "lupa",
        "kapitan",
        "pydantic",
        "reclass_rs",
        "requests",
    ),
    "rich",
}
DRIVER = """
import json, sys
from commodore_py.cli import run
code = run(sys.argv[1:])
sys.stderr.write(json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "catalog --help",
        "catalog compile --help",
        "catalog list --help",
        "component new --help",
        "config show --help",
        "inventory show --help",
        "login --help",
        "package compile --help",
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
