"""`catalog check`, and `catalog compile --check`."""

from __future__ import annotations

import json
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
    commodore: CommandLine, fleet: Fleet, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"

    code, _, err = compile_(commodore, fleet, "--check", "--report", f"json={report}")

    assert code == 1
    assert "there is a private key here" in err
    assert "compiled/web/web/out.yaml" in err
    assert git(fleet.catalog, "for-each-ref") == ""
    assert json.loads(report.read_text())["problems"][0]["code"] == CODE


@pytest.mark.spec("14.08")
def test_the_same_problems_are_reported_again(commodore: CommandLine, fleet: Fleet) -> None:
    words = ("--check", "--ignore-problem", CODE)

    first, second = (compile_(commodore, fleet, *words) for _ in range(2))

    assert (first[0], second[0]) == (0, 0)
    for _, _, err in (first, second):
        assert "Checks: 2 infos in 1 object (1 ignored)" in err


def test_without_check_nothing_is_checked(commodore: CommandLine, fleet: Fleet) -> None:
    code, _, err = compile_(commodore, fleet)

    assert (code, "private key" in err) == (0, False)


@pytest.mark.spec("14.05")
def test_ignore_files_of_both_configurations(commodore: CommandLine, fleet: Fleet) -> None:
    entry = f'ignore = [{{ code = "{CODE}", reason = "r", until = 2999-01-01 }}]\n'
    commit_to(fleet.repository("tenant"), {NAME: entry})

    refused = compile_(commodore, fleet, "--check")
    commit_to(fleet.repository("global"), {NAME: f'delegate = ["{CODE}"]\n'})
    accepted = compile_(commodore, fleet, "--check")

    assert refused[0] == 1
    assert "a tenant's file may not ignore" in refused[2]
    assert accepted[0] == 0


def test_the_last_compile_is_checked_with_its_origins(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet)

    ran = commodore("-d", str(fleet.work), "catalog", "check", CLUSTER)

    assert ran.code == 1
    assert "compiled/web/web/out.yaml\n  instance web, ConfigMap web, data.key\n" in ran.out
    assert "rendered by: dependencies/web/component/main.jsonnet" in ran.out
    assert ran.out.splitlines()[-1] == "Found 1 error, 2 infos in 1 object"


@pytest.mark.spec("14.09")
def test_nothing_compiled(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("-d", str(tmp_path), "catalog", "check")

    assert ran.code == 1
    assert "nothing was compiled here" in ran.err
    assert "catalog compile CLUSTER" in ran.err


@pytest.mark.spec("14.11")
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


@pytest.mark.spec("14.60")
def test_what_is_unchecked_is_an_error_when_strict(commodore: CommandLine, tmp_path: Path) -> None:
    check = ("catalog", "check", "--on", str(tmp_path), "--kubernetes-version", "1.20")

    assert commodore(*check).code == 0
    assert commodore(*check, "--strict").code == 1
    assert "unchecked: kubernetes-schema" in commodore(*check).out
