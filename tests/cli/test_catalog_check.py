"""`catalog check`, and `catalog compile --check`."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.problems.ignore_file import NAME
from tests.support.builders import commit_to, git
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

DATA = {"of": "web", "key": "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx\n"}
CODE = "secrets/private-key"
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
    check = ("catalog", "check", "--on", str(tmp_path), "--only", "images")

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


def test_unknown_names(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)
    check = ("-d", str(fleet.work), "catalog", "check")

    unknown = commodore(*check, "--only", "imags")
    other = commodore(*check, "c-two")

    assert (unknown.code, other.code) == (2, 1)
    assert "did you mean images?" in unknown.err
    assert f"the last compile was of {CLUSTER}" in other.err
    assert commodore(*check, "--kubernetes-version", "new").code == 2
    assert compile_(commodore, fleet, "--check-only", "imags")[0] == 2


def test_a_folder_of_manifests(commodore: CommandLine, tmp_path: Path) -> None:
    image = {"containers": [{"name": "a", "image": "nginx"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": image}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(pod))

    ran = commodore("catalog", "check", "--on", str(tmp_path), "--kubernetes-version", "1.34")

    assert ran.code == 0
    assert "warning: image nginx has no tag [images/no-tag]" in ran.out


def test_what_is_unchecked_is_an_error_when_strict(commodore: CommandLine, tmp_path: Path) -> None:
    check = ("catalog", "check", "--on", str(tmp_path), "--kubernetes-version", "1.20")

    assert commodore(*check).code == 0
    assert commodore(*check, "--strict").code == 1
    assert "unchecked: kubernetes-schema" in commodore(*check).out


def test_parameters_are_compared_with_the_schema_of_their_component(
    commodore: CommandLine, tmp_path: Path
) -> None:
    rules = {"properties": {"data": {"properties": {"of": {"enum": ["nothing"]}}}}}
    fleet = make_fleet(tmp_path, web={"class/defaults.schema.json": json.dumps(rules)})
    message = "error: web.data.of: web is not one of nothing [parameters/schema]"

    refused = compile_(commodore, fleet, "--check-only", "parameters-schema")
    published = compile_(commodore, fleet)
    ran = commodore("-d", str(fleet.work), "catalog", "check", "--only", "parameters-schema")

    assert (refused[0], published[0], ran.code) == (1, 0, 1)
    assert "web.data.of: web is not one of nothing" in refused[2]
    assert ran.out.startswith(f"{message}\n  dependencies/web/class/defaults.yml:4\n")


def test_images_of_a_folder_and_of_the_last_compile(
    commodore: CommandLine, fleet: Fleet, tmp_path: Path
) -> None:
    image = {"containers": [{"name": "a", "image": "nginx"}, {"name": "b", "image": "b@sha256:0"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": image}
    folder = tmp_path / "manifests"
    folder.mkdir()
    (folder / "a.yaml").write_text(yaml.safe_dump(pod))
    compile_(commodore, fleet)

    ran = commodore("catalog", "images", "--on", str(folder), "-v")
    compiled = commodore("-d", str(fleet.work), "catalog", "images", CLUSTER)

    assert ran.out.splitlines() == [
        "b@sha256:0",
        "  Pod a, spec.containers[1].image",
        "nginx",
        "  Pod a, spec.containers[0].image",
    ]
    assert (compiled.code, compiled.out.strip()) == (0, "")
    other = commodore("-d", str(fleet.work), "catalog", "images", "c-two")
    assert (other.code, f"the last compile was of {CLUSTER}" in other.err) == (1, True)


def test_a_commit_of_the_catalog_is_checked_without_a_hierarchy(
    commodore: CommandLine, fleet: Fleet
) -> None:
    compile_(commodore, fleet)
    data = {"of": "web", "key": "nothing"}
    fleet.configure({"applications": ["web"], "parameters": {"web": {"data": data}}})
    compile_(commodore, fleet)
    check = ("-d", str(fleet.work), "catalog", "check", "--only", "secrets", "--on")

    before, now = commodore(*check, "HEAD~1"), commodore(*check, "HEAD")
    skipping = commodore(*check, "HEAD", "--only", "parameters-schema")
    unknown = commodore(*check, "nothing")

    assert (before.code, now.code, unknown.code) == (1, 0, 1)
    assert "  HEAD~1:manifests/web/out.yaml\n  ConfigMap web, data.key" in before.out
    assert "skipped: parameters-schema: there is no hierarchy" in skipping.out
    assert "revision nothing not found" in unknown.err
    assert commodore(*check, "no/folder").code == 1


def test_a_compile_that_is_older_than_its_sources_is_pointed_out(
    commodore: CommandLine, fleet: Fleet
) -> None:
    compile_(commodore, fleet)
    check = ("-d", str(fleet.work), "catalog", "check", "--only", "images")
    at = fleet.work / "inventory/classes/global/commodore.yml"

    before = commodore(*check)
    later = at.stat().st_mtime + 3600
    os.utime(at, (later, later))
    after = commodore(*check)

    assert (before.code, "older" in before.out) == (0, False)
    assert after.code == 0
    assert "the last compile is older than its sources [checks/outdated]" in after.out
    assert "  inventory/classes/global/commodore.yml" in after.out


@pytest.mark.skipif(find_spec("regorus") is None, reason="the extra `policy` is not installed")
def test_a_policy_knows_the_component_and_the_version_of_an_instance(
    commodore: CommandLine, fleet: Fleet
) -> None:
    rule = """package main

warn contains msg if {
  origin := data.commodore.origin
  msg := concat(" ", [origin.instance, origin.component, origin.version])
}
"""
    commit_to(fleet.repository("global"), {"policies/a.rego": rule})
    metadata = {"web": {"_metadata": {"multi_instance": True}}}
    fleet.configure({"applications": ["web as shop"], "parameters": metadata})

    code, _, err = compile_(commodore, fleet, "--check-only", "policy")
    ran = commodore("-d", str(fleet.work), "catalog", "check", "--only", "policy")

    assert (code, ran.code) == (0, 0)
    assert " > shop web master\n   compiled/shop/shop/out.yaml" in err
    assert "shop web master [policy/main]" in ran.out
