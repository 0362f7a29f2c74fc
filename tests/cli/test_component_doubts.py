"""What a compile accepts with a notice, and refuses with `--strict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.builders import commit_to, git
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Components of which one has a library of its own, and one that is not deployed."""
    libraries = {"lib/one.libsonnet": "{}", "lib/one-x.libsonnet": "{}"}
    return make_fleet(tmp_path / "fleet", one=libraries, one_x={})


def compile_(commodore: CommandLine, fleet: Fleet, *options: str) -> Ran:
    facts = str(fleet.root / "facts")
    arguments = ("catalog", "compile", CLUSTER, "--api-url", facts, *options)
    return commodore("-d", str(fleet.work), *arguments)


def alias(name: str, *, library: str = "one.libsonnet") -> dict[str, Any]:
    return {"one": {"_metadata": {"library_aliases": {name: library}}}}


@pytest.mark.parametrize(
    ("applications", "parameters", "message", "place"),
    [
        pytest.param(
            ["one", "one as one"],
            {},
            "component one is requested twice: as `one as one` and as `one`",
            "inventory/classes/t-acme/common.yml:2, inventory/classes/t-acme/common.yml:3",
        ),
        pytest.param(
            ["one", "one as w-1", "one as w_1"],
            {"one": {"_metadata": {"multi_instance": True}}},
            "instance w-1 and instance w_1 share parameters.w_1",
            "inventory/classes/t-acme/common.yml:3, inventory/classes/t-acme/common.yml:4",
        ),
        pytest.param(
            ["one"],
            alias("one-x.libsonnet"),
            "library alias one-x.libsonnet of component one has the prefix of component one-x,"
            " which is listed although it is not deployed",
            "parameters.one._metadata.library_aliases",
        ),
        pytest.param(
            ["one"],
            alias("kube.libjsonnet"),
            "library alias kube.libjsonnet of component one replaces a bundled library",
            "parameters.one._metadata.library_aliases",
        ),
        pytest.param(
            ["one"],
            alias("kapitan.libjsonnet"),
            "library alias kapitan.libjsonnet of component one has no effect",
            "parameters.one._metadata.library_aliases",
        ),
        pytest.param(
            ["one"],
            alias("one.libsonnet", library="one-x.libsonnet"),
            "library alias one.libsonnet of component one hides its library of that name",
            "parameters.one._metadata.library_aliases",
        ),
        pytest.param(
            ["one", "one-x"],
            {},
            "library one-x.libsonnet of component one has the name of component one-x",
            "one/lib/one-x.libsonnet",
        ),
    ],
)
def test_warnings_about_components_are_reported_and_refused_on_request(  # noqa: PLR0917 - a case
    commodore: CommandLine,
    fleet: Fleet,
    applications: list[str],
    parameters: dict[str, Any],
    message: str,
    place: str,
) -> None:
    fleet.configure({"applications": applications, "parameters": parameters})

    lenient = compile_(commodore, fleet)
    strict = compile_(commodore, fleet, "--strict", "--push")

    assert (lenient.code, strict.code) == (0, 1), lenient.err
    assert f" > {message}" in lenient.err.replace("\n   ", " ")  # notices are wrapped
    assert place in lenient.err.replace("\n   ", " ")
    assert f"error: {message}" in strict.err
    assert place in strict.err
    assert git(fleet.catalog, "rev-list", "--all", "--count") == "0"


def test_a_version_that_shares_libraries_is_reported_but_never_refused(
    commodore: CommandLine, fleet: Fleet
) -> None:
    git(fleet.repository("component-one"), "branch", "later", "master")
    commit_to(fleet.repository("component-one"), {"later.txt": "later"}, branch="later")
    fleet.configure(
        {
            "applications": ["one", "one as two"],
            "parameters": {
                "one": {"_metadata": {"multi_instance": True, "multi_version": True}},
                "components": {"two": {"version": "later"}},
            },
        }
    )

    ran = compile_(commodore, fleet, "--strict")

    assert ran.code == 0, ran.err
    assert "instance two has another version than component one" in ran.err
    assert "parameters.components.two" in ran.err


def test_a_hierarchy_without_problems_has_no_notices(commodore: CommandLine, fleet: Fleet) -> None:
    fleet.configure({"applications": ["one"]})

    ran = compile_(commodore, fleet, "--strict")

    assert ran.code == 0, ran.err
    assert "notices" not in ran.err
