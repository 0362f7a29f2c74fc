"""The small installation: a part of the whole, and neither engine misses anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commodore_py.workflows.demo import write_demo

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements"

# The modules of what small.overrides leaves out, and of the largest of what goes with it.
LEFT_OUT = {
    "azure-identity": ["azure", "msal"],
    "azure-keyvault-keys": ["azure"],
    "boto3": ["boto3", "botocore"],
    "copier": ["copier", "prompt_toolkit"],
    "google-api-python-client": ["googleapiclient", "google"],
    "jsonnet": ["_jsonnet"],
    "python-gnupg": ["gnupg"],
}

BLOCKER = """
import sys


class Blocker:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"{{name}} is left out", name=name)


sys.meta_path.insert(0, Blocker)
"""


def locked(name: str) -> dict[str, str]:
    """Packages of a locked file, each with its version and hashes."""
    blocks = re.split(r"^(?=\S)", (REQUIREMENTS / name).read_text("utf-8"), flags=re.MULTILINE)
    return {block.partition("==")[0]: block for block in blocks if "==" in block}


def test_the_small_lock_is_a_part_of_the_whole_one() -> None:
    small, whole = locked("small.txt"), locked("runtime.txt")

    assert {name: block for name, block in whole.items() if name in small} == small
    assert len(small) < len(whole)


def test_what_is_overridden_is_left_out() -> None:
    lines = (REQUIREMENTS / "small.overrides").read_text("utf-8").splitlines()
    overridden = [line.partition(" ;")[0] for line in lines if not line.startswith("#")]

    assert set(overridden) == LEFT_OUT.keys() <= locked("runtime.txt").keys()
    assert not locked("small.txt").keys() & LEFT_OUT.keys()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_engines_compile_without_what_is_left_out(engine: str, tmp_path: Path) -> None:
    names = sorted({name for modules in LEFT_OUT.values() for name in modules})
    (tmp_path / "sitecustomize.py").write_text(BLOCKER.format(names=names))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COMMODORE_ENGINE": engine}
    write_demo(tmp_path / "demo")
    command = [sys.executable, "-m", "commodore_py", "-d", str(tmp_path / "work")]
    facts = str(tmp_path / "demo/facts")

    blocked = subprocess.run(
        [sys.executable, "-P", "-c", "import boto3"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    ran = subprocess.run(
        [*command, "catalog", "compile", "c-demo-1", "--api-url", facts],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "boto3 is left out" in blocked.stderr
    assert (ran.returncode, ran.stderr if ran.returncode else "") == (0, "")
    assert (tmp_path / "work/catalog/manifests/web-shop/20_web_shop.yaml").is_file()
