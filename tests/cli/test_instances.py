"""What a cluster may require of its components, as `catalog compile` reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, url_of
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path / "fleet", one={})


def compile_(commodore: CommandLine, fleet: Fleet) -> Ran:
    facts = str(fleet.root / "facts")
    return commodore("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts)


def test_a_second_instance_needs_a_component_that_knows_several(
    commodore: CommandLine, fleet: Fleet
) -> None:
    fleet.configure({"applications": ["one as two"]})

    ran = compile_(commodore, fleet)

    assert ran.code == 1
    assert "component one" in ran.err
    assert "two" in ran.err
    assert "_metadata.multi_instance" in ran.err


def test_a_version_of_its_own_needs_a_component_that_knows_several(
    commodore: CommandLine, fleet: Fleet
) -> None:
    fleet.configure(
        {
            "applications": ["one", "one as two"],
            "parameters": {
                "one": {"_metadata": {"multi_instance": True}},
                "components": {
                    "two": {"url": url_of(fleet.repository("component-one")), "version": "master"}
                },
            },
        }
    )

    ran = compile_(commodore, fleet)

    assert ran.code == 1
    assert "one" in ran.err
    assert "two" in ran.err
    assert "_metadata.multi_version" in ran.err


@pytest.mark.parametrize("missing", ["class/defaults.yml", "class/one.yml"])
def test_a_component_without_its_classes(
    commodore: CommandLine, fleet: Fleet, missing: str
) -> None:
    commit_to(fleet.repository("component-one"), {missing: None})

    ran = compile_(commodore, fleet)

    assert ran.code == 1
    assert "one" in ran.err
    assert missing in ran.err
    assert "Traceback" not in ran.err


def test_an_unknown_component(commodore: CommandLine, fleet: Fleet) -> None:
    fleet.configure({"applications": ["one", "nobody"]})

    ran = compile_(commodore, fleet)

    assert ran.code == 1
    assert "error: unknown component nobody" in ran.err
    assert "add parameters.components.nobody" in ran.err


def test_an_instance_that_is_no_longer_requested_keeps_its_checkout(
    commodore: CommandLine, fleet: Fleet
) -> None:
    parameters = {"one": {"_metadata": {"multi_instance": True}}}
    fleet.configure({"applications": ["one", "one as two"], "parameters": parameters})
    assert compile_(commodore, fleet).code == 0
    fleet.configure({"applications": ["one"], "parameters": parameters})

    ran = compile_(commodore, fleet)

    assert ran.code == 0
    assert "two" not in ran.out
    assert not (fleet.work / "inventory/targets/two.yml").exists()
    assert (fleet.work / "dependencies/two/class/one.yml").is_file()
