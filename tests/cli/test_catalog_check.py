"""`catalog check`, and `catalog compile --check`."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.problems.ignore_file import NAME
from tests.support.builders import commit_to, git
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


def test_an_error_keeps_a_catalog_from_being_published(
    commodore: CommandLine, fleet: Fleet
) -> None:
    code, _, err = compile_(commodore, fleet, "--check")

    assert code == 1
    assert "there is a private key here" in err
    assert "compiled/web/web/out.yaml" in err
    assert git(fleet.catalog, "for-each-ref") == ""


def test_the_same_problems_are_reported_again(commodore: CommandLine, fleet: Fleet) -> None:
    commit_to(fleet.repository("global"), {NAME: ENTRY})

    first, second = (compile_(commodore, fleet, "--check") for _ in range(2))

    assert (first[0], second[0]) == (0, 0)
    for _, _, err in (first, second):
        assert "Checks: 2 infos in 1 object (1 ignored)" in err


def test_without_check_nothing_is_checked(commodore: CommandLine, fleet: Fleet) -> None:
    code, _, err = compile_(commodore, fleet)

    assert (code, "private key" in err) == (0, False)


def test_the_ignore_file_of_a_tenant_does_not_count(commodore: CommandLine, fleet: Fleet) -> None:
    commit_to(fleet.repository("tenant"), {NAME: ENTRY})

    assert compile_(commodore, fleet, "--check")[0] == 1


def test_warnings_of_checks_are_errors_when_strict(commodore: CommandLine, tmp_path: Path) -> None:
    image = {"containers": [{"name": "a", "image": "nginx"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": image}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(pod))
    check = ("catalog", "check", "--catalog", str(tmp_path))

    assert commodore(*check).code == 0
    assert commodore(*check, "--strict").code == 1


def test_the_last_compile_is_checked_with_its_origins(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)

    ran = commodore("-d", str(fleet.work), "catalog", "check", CLUSTER)

    assert ran.code == 1
    assert "compiled/web/web/out.yaml\n  instance web, ConfigMap web, data.key\n" in ran.out
    assert "rendered by: dependencies/web/component/main.jsonnet" in ran.out
    assert ran.out.splitlines()[-1] == "Found 1 error, 2 infos in 1 object"


def test_nothing_compiled(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("-d", str(tmp_path), "catalog", "check")

    assert ran.code == 1
    assert "nothing was compiled here" in ran.err
    assert "catalog compile CLUSTER" in ran.err


def test_another_cluster_than_the_last_one(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)
    check = ("-d", str(fleet.work), "catalog", "check")

    other = commodore(*check, "c-two")

    assert other.code == 1
    assert f"the last compile was of {CLUSTER}" in other.err


def test_a_folder_of_manifests(commodore: CommandLine, tmp_path: Path) -> None:
    image = {"containers": [{"name": "a", "image": "nginx"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": image}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(pod))

    ran = commodore("catalog", "check", "--catalog", str(tmp_path))

    assert ran.code == 0
    assert "warning: image nginx has no tag [images/no-tag]" in ran.out
    assert "parameters-schema: there is no hierarchy" in ran.out


def test_parameters_are_compared_with_the_schema_of_their_component(
    commodore: CommandLine, tmp_path: Path
) -> None:
    rules = {"properties": {"data": {"properties": {"of": {"enum": ["nothing"]}}}}}
    fleet = make_fleet(tmp_path, web={"class/defaults.schema.json": json.dumps(rules)})
    message = "error: web.data.of: web is not one of nothing [parameters/schema]"

    refused = compile_(commodore, fleet, "--check")
    published = compile_(commodore, fleet)
    ran = commodore("-d", str(fleet.work), "catalog", "check")

    assert (refused[0], published[0], ran.code) == (1, 0, 1)
    assert "web.data.of: web is not one of nothing" in refused[2]
    assert f"{message}\n  dependencies/web/class/defaults.yml:4\n" in ran.out


def test_a_compile_that_is_older_than_its_sources_is_pointed_out(
    commodore: CommandLine, fleet: Fleet
) -> None:
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
def test_a_policy_knows_the_component_and_the_version_of_an_instance(
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


def test_documents_that_are_no_objects(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commodore("init", "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    real = "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }"
    code = f"{{ a: {{ x: 1 }}, b: {real}, c: 'text' }}"
    commit_to(tmp_path / "fleet/repos/component-hello.git", {"component/main.jsonnet": code})

    compiled = commodore("catalog", "compile", "c-fleet")
    strict = commodore("catalog", "compile", "c-fleet", "--strict")
    checked = commodore("catalog", "check")

    reason = "a document has no apiVersion, kind or metadata.name: it is not an object"
    assert (compiled.code, strict.code, checked.code) == (0, 1, 1)
    assert f"{reason}\n   instance hello: hello/a.yaml" in compiled.err
    assert reason in strict.err
    assert f"error: {reason} [objects/invalid]\n  compiled/hello/hello/a.yaml" in checked.out
    text = "a document is 't': it is not an object (and 3 more)"
    assert text in compiled.err
    assert checked.out.count(f"error: {text} [objects/invalid]\n  compiled/hello/hello/c.yaml") == 1
    assert checked.out.count("[objects/invalid]") == 2
    assert "b.yaml" not in compiled.err + checked.out
