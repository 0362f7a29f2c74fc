"""`catalog affected`: one instance per line, and the reason on request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

MAIN = "dependencies/web-shop/component/main.jsonnet"


@pytest.fixture
def known(commodore: CommandLine, work: Path, facts: str) -> Path:
    """A working directory that was compiled with the result cache."""
    assert not commodore("-d", str(work), "catalog", "compile", "c-demo-1", "--api-url", facts).code
    return work


def test_instances_are_listed_one_per_line(commodore: CommandLine, known: Path) -> None:
    ran = commodore("-d", str(known), "catalog", "affected", "--path", str(known / MAIN))

    assert (ran.code, ran.out) == (0, "web-shop\n")
    assert ran.err == ""


def test_verbose_shows_the_reason(commodore: CommandLine, known: Path) -> None:
    ran = commodore("-d", str(known), "catalog", "affected", "-v", "--path", str(known / MAIN))

    assert ran.err == f" > web-shop: {MAIN}: it is read\n"


def test_programs_get_reasons(commodore: CommandLine, known: Path) -> None:
    words = ("catalog", "affected", "-o", "json", "--path", str(known / MAIN))

    report = json.loads(commodore("-d", str(known), *words).out)

    assert report["instances"] == [
        {
            "name": "web-shop",
            "component": "web-shop",
            "reasons": [{"file": MAIN, "why": "it is read"}],
        }
    ]


def test_a_name_without_a_file_is_pointed_out(commodore: CommandLine, known: Path) -> None:
    typo = str(known / MAIN.replace("main", "mian"))
    ran = commodore("-d", str(known), "catalog", "affected", "--path", typo)
    away = (known / MAIN).rename(known / "away")
    missing = commodore("-d", str(known), "catalog", "affected", "--path", str(known / MAIN))
    away.rename(known / MAIN)

    assert (ran.code, ran.out) == (0, "")
    assert f"warning: {typo} does not exist, and no instance looked for it" in ran.err
    assert (missing.code, missing.out, missing.err) == (0, "web-shop\n", "")


def test_without_changes_no_instance_is_affected(commodore: CommandLine, known: Path) -> None:
    ran = commodore("-d", str(known), "catalog", "affected", "--since", "HEAD")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == " > No instances are affected\n"


def test_a_change_must_be_named(commodore: CommandLine, work: Path) -> None:
    ran = commodore("-d", str(work), "catalog", "affected")

    assert ran.code == 2
    assert "--since" in ran.err


def test_a_folder_that_was_never_compiled_shows_nothing(
    commodore: CommandLine, tmp_path: Path
) -> None:
    for change in (("--path", "a.yml"), ("--since", "HEAD")):
        ran = commodore("-d", str(tmp_path / "new"), "catalog", "affected", *change)

        assert ran.code == 1
        assert ran.err.startswith("error: nothing was compiled here\n")
        assert "commodore -d FOLDER catalog affected" in ran.err


def test_a_run_without_cached_results_shows_nothing(
    commodore: CommandLine, tmp_path: Path, facts: str
) -> None:
    words = ("-d", str(tmp_path / "new"), "catalog")
    commodore(*words, "compile", "c-demo-1", "--api-url", facts, "--no-cache")

    ran = commodore(*words, "affected", "--path", "a.yml")

    assert ran.code == 1
    assert "compile the cluster once" in ran.err
