"""Policies in `catalog check` and `catalog compile --check`, evaluated by opa."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""


@pytest.mark.skipif(
    not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
)
def test_policy_reads_component_and_version_of_instance(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{os.path.dirname(OPA)}:{os.environ['PATH']}")  # noqa: PTH120
    rule = """package main

warn contains msg if {
  origin := data.commodore.origin
  msg := concat(" ", [origin.instance, origin.component, origin.version])
}
"""
    fleet = make_fleet(tmp_path, web={})
    commit_to(fleet.repository("global"), {"policies/a.rego": rule})
    metadata = {"web": {"_metadata": {"multi_instance": True}}}
    fleet.configure({"applications": ["web as shop"], "parameters": metadata})

    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"), "--push")
    compiled = commodore("-d", str(fleet.work), *words, "--check")
    ran = commodore("-d", str(fleet.work), "catalog", "check")

    assert (compiled.code, ran.code) == (0, 0)
    assert " > shop web master\n   compiled/shop/shop/out.yaml" in compiled.err
    assert "shop web master [policy/main]" in ran.out
