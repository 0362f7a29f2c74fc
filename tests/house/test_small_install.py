"""The small installation: a part of the whole; `test_start_up` compiles without the rest."""

from __future__ import annotations

import re
from pathlib import Path

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


def locked(name: str) -> dict[str, str]:
    """Packages of a locked file, each with its version and hashes."""
    blocks = re.split(r"^(?=\S)", (REQUIREMENTS / name).read_text("utf-8"), flags=re.MULTILINE)
    return {block.partition("==")[0]: block for block in blocks if "==" in block}


def test_small_lock_is_subset_of_runtime_lock() -> None:
    small, whole = locked("small.txt"), locked("runtime.txt")

    assert {name: block for name, block in whole.items() if name in small} == small
    assert len(small) < len(whole)


def test_overridden_requirements_are_left_out() -> None:
    lines = (REQUIREMENTS / "small.overrides").read_text("utf-8").splitlines()
    overridden = [line.partition(" ;")[0] for line in lines if not line.startswith("#")]

    assert set(overridden) == LEFT_OUT.keys() <= locked("runtime.txt").keys()
    assert not locked("small.txt").keys() & LEFT_OUT.keys()
