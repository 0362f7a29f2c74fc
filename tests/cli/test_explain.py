"""`commodore inventory explain`, in a working directory that was compiled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.pipeline import compile_catalog
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

WHY_TWO = """\
web_shop.replicas of target web-shop is 2

  1  dependencies/web-shop/class/defaults.yml:7
     target web-shop -> defaults.web-shop
     sets 1

  2  inventory/classes/t-demo/c-demo-1.yml:6
     target web-shop -> global.commodore -> t-demo.c-demo-1
     replaces 1 with 2
"""
TENANT = "inventory/classes/t-demo/c-demo-1.yml"


def test_why_are_there_two_replicas(commodore: CommandLine, work: Path) -> None:
    ran = commodore("-d", str(work), "inventory", "explain", "web-shop", "web_shop.replicas")

    assert (ran.code, ran.out, ran.err) == (0, WHY_TWO, "")


def test_the_same_for_programs(commodore: CommandLine, work: Path) -> None:
    words = ("inventory", "explain", "c-demo-1", "parameters.web_shop.host", "-o", "json")

    ran = commodore("-d", str(work), *words)

    content = json.loads(ran.out)
    assert (content["schema"], content["target"]) == ("explain/v1", "cluster")
    assert (content["path"], content["value"]) == ("web_shop.host", "shop.c-demo-1.example.com")
    low, high = content["steps"]
    assert (low["action"], low["after"]) == ("set", "shop.example.com")
    assert (high["action"], high["before"]) == ("replace", "shop.example.com")
    assert high["written"] == "shop.${cluster:name}.example.com"
    assert high["classes"][-1] == "t-demo.common"
    assert high["references"] == [
        {
            "written": "${cluster:name}",
            "path": "cluster.name",
            "value": "c-demo-1",
            "default": False,
        }
    ]
    (looked_up,) = content["looked_up"]
    assert looked_up["steps"][0]["file"] == "inventory/classes/params/cluster.yml"


def test_every_parameter_of_the_playground_reads_well_in_eighty_columns(
    commodore: CommandLine, work: Path
) -> None:
    for path in ("web_shop", "backup", "kapitan", "components", "monitoring.channels[1]"):
        ran = commodore("-d", str(work), "inventory", "explain", "backup-archive", path)

        assert ran.code == 0
        # Values that have no space cannot be broken.
        wide = [line for line in ran.out.splitlines() if len(line) > 80]
        assert all(len(line.strip().split()[-1]) > 40 for line in wide), wide


@pytest.mark.parametrize("place", [f"{TENANT}:6", "dependencies/../" + TENANT + ":6"])
def test_what_does_a_line_reach(commodore: CommandLine, work: Path, place: str) -> None:
    ran = commodore("-d", str(work), "inventory", "explain", "--reverse", place)

    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"{TENANT}:6",
        "  replicas: 2",
        "",
        "sets web_shop.replicas",
        "in a file that is part of all 12 targets",
        "",
        "web_shop.replicas has its final value from here",
        "  in all 12 targets",
    ]


def test_what_a_line_reaches_for_programs(commodore: CommandLine, work: Path) -> None:
    place = "inventory/classes/t-demo/common.yml:23"

    ran = commodore("-d", str(work), "inventory", "explain", "--reverse", place, "-o", "json")

    content = json.loads(ran.out)
    assert content["schema"] == "explain-reverse/v1"
    assert content["sets"] == ["backup_archive.keep"]
    assert [(one["kind"], one["parameter"]) for one in content["effects"]] == [
        ("value", "backup_archive.keep"),
        ("reference", "backup.keep"),
    ]
    assert content["effects"][1]["targets"] == ["backup-archive"]
    assert content["effects"][1]["through"] == "${backup_archive}"


@each(
    ("words", "message", "hint"),
    [
        (["web-shop", "web_shop.replcas"], "web_shop.replcas", "did you mean web_shop.replicas?"),
        (["web-shp", "a"], "target web-shp not found", "did you mean web-shop?"),
        (["web-shop", "a..b"], "'a..b' is not a valid path", "write it as"),
        (["--reverse", f"{TENANT}:4"], "sets no parameter", ""),
        (["--reverse", f"{TENANT}:400"], "the file has ", ""),
        (["--reverse", "README.md:1"], "no such file", "below inventory/ or dependencies/"),
    ],
)
def test_questions_without_an_answer(
    commodore: CommandLine, work: Path, words: list[str], message: str, hint: str
) -> None:
    ran = commodore("-d", str(work), "inventory", "explain", *words)

    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert hint in ran.err


@pytest.mark.parametrize(
    "words", [[], ["web-shop"], ["--reverse", "x:1", "web-shop"], ["--reverse", "x.yml"]]
)
def test_invalid_questions(commodore: CommandLine, words: list[str]) -> None:
    ran = commodore("inventory", "explain", *words)

    assert (ran.code, ran.out) == (2, "")


def test_folder_that_was_never_compiled(commodore: CommandLine) -> None:
    ran = commodore("inventory", "explain", "cluster", "a")

    assert ran.code == 1
    assert "compile the cluster here first" in ran.err


def test_hierarchy_without_vault_settings_compiles_and_can_be_explained(
    commodore: CommandLine, tmp_path: Path
) -> None:
    fleet = make_fleet(tmp_path / "fleet", web={})
    compile_catalog(fleet.config(), CLUSTER, approve=lambda _: False)

    ran = commodore("-d", str(fleet.work), "inventory", "explain", CLUSTER, "web.data.of")
    without = commodore("-d", str(fleet.work), "inventory", "explain", CLUSTER, "kapitan.secrets")

    assert WorkPaths(fleet.work).compiled.is_dir()
    assert ran.out.startswith("web.data.of of target cluster is web\n")
    assert without.code == 1
