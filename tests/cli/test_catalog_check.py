"""`catalog check`, and `catalog compile --check`."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.problems.ignore_file import NAME
from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.tool_releases import write_program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

DATA = {"of": "web", "key": "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx\n"}
CODE = "secrets/private-key"
OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""
ENTRY = f'ignore = [{{ code = "{CODE}", reason = "r" }}]\n'


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure({"applications": ["web"], "parameters": {"web": {"data": DATA}}})
    return fleet


def compile_(commodore: CommandLine, fleet: Fleet, *words: str) -> tuple[int, str, str]:
    ran = commodore(
        *("-d", str(fleet.work), "catalog", "compile", CLUSTER),
        *("--api-url", str(fleet.root / "facts"), "--push", *words),
    )
    return ran.code, ran.out, ran.err


def test_check_reports_outdated_compile(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)
    check = ("-d", str(fleet.work), "catalog", "check")
    at = fleet.work / "inventory/classes/global/commodore.yml"

    before = commodore(*check)
    later = at.stat().st_mtime + 3600
    os.utime(at, (later, later))
    after = commodore(*check)

    assert "older" not in before.out
    assert "the last compile is older than its sources [checks/outdated]" in after.out
    assert "  inventory/classes/global/commodore.yml" in after.out


@pytest.mark.skipif(
    not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
)
def test_policy_reads_component_and_version_of_instance(
    commodore: CommandLine, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{os.path.dirname(OPA)}:{os.environ['PATH']}")  # noqa: PTH120
    rule = """package main

warn contains msg if {
  origin := data.commodore.origin
  msg := concat(" ", [origin.instance, origin.component, origin.version])
}
"""
    commit_to(fleet.repository("global"), {"policies/a.rego": rule})
    metadata = {"web": {"_metadata": {"multi_instance": True}}}
    fleet.configure({"applications": ["web as shop"], "parameters": metadata})

    code, _, err = compile_(commodore, fleet, "--check")
    ran = commodore("-d", str(fleet.work), "catalog", "check")

    assert (code, ran.code) == (0, 0)
    assert " > shop web master\n   compiled/shop/shop/out.yaml" in err
    assert "shop web master [policy/main]" in ran.out


def test_policies_without_opa_are_never_passed_silently(
    commodore: CommandLine, fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = 'package main\n\nwarn contains "a" if true\n'
    commit_to(fleet.repository("global"), {"policies/a.rego": rule, NAME: ENTRY})
    write_program(tmp_path / "bin", "git", f'#!/bin/sh\nexec {shutil.which("git")} "$@"\n'.encode())
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")

    compiled = compile_(commodore, fleet, "--check")
    strict = compile_(commodore, fleet, "--check", "--strict")
    ran = commodore("-d", str(fleet.work), "catalog", "check")

    message = "there are policies and no opa: run `commodore tool install opa`"
    assert (compiled[0], strict[0], ran.code) == (0, 1, 1)
    assert f" > {message}\n   inventory/classes/global/policies\n" in compiled[2]
    assert f"error: {message}\n" in strict[2]
    assert f"error: {message} [policy/not-installed]\n" in ran.out
