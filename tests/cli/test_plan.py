"""`commodore plan`, in a working directory that was compiled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.delivery.drivers import plain
from commodore_py.delivery.normal import Order

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLASS = "inventory/classes/t-demo/common.yml"
STEPS = ("certificates", "web-shop")
PLAN = "{serial: [certificates, {when: {if: {exists: web_shop.off}, then: backup}}, web-shop]}"


@pytest.fixture(autouse=True)
def the_configuration(work: Path) -> Iterator[None]:
    """The working directory is shared: what a test writes is taken back."""
    file = work / CLASS
    before = file.read_text()
    yield
    file.write_text(before)


def set_plan(work: Path, plan: str) -> None:
    text = f"parameters:\n  commodore:\n    plan: {plan}\n"
    (work / CLASS).write_text((work / CLASS).read_text().replace("parameters:\n", text, 1))


def test_show_prints_steps_and_what_is_not_among_them(commodore: CommandLine, work: Path) -> None:
    set_plan(work, PLAN)

    ran = commodore("-d", str(work), "plan", "show")

    assert ran.code == 0
    assert ran.out.splitlines()[:4] == [
        "in order",
        "  certificates",
        "  web-shop",
        "removed: backup",
    ]
    assert "last: database" in ran.out


def test_check_reports_everything_with_file_and_line(commodore: CommandLine, work: Path) -> None:
    set_plan(work, "{serial: [certificate, {seriel: [backup]}]}")

    ran = commodore("-d", str(work), "plan", "check")

    assert ran.code == 1
    assert "common.yml:" in ran.err
    assert "did you mean serial?" in ran.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--model", "web-shop=fail"), 1),
        (("--model", "web-shop=slow:200"), 7),
        (("--model", "x=fail"), 2),
        (("--model", "web-shop=slow"), 2),
        (("--model", "web-shop"), 2),
    ],
)
def test_simulate_ends_with_the_code_of_its_result(
    commodore: CommandLine, work: Path, words: tuple[str, ...], code: int
) -> None:
    set_plan(work, "{serial: [certificates, web-shop]}")

    ran = commodore("-d", str(work), "plan", "simulate", *words)

    assert ran.code == code


def test_check_includes_the_configured_driver(commodore: CommandLine, work: Path) -> None:
    set_plan(work, PLAN)

    ran = commodore("-d", str(work), "plan", "check")

    assert ran.code == 1
    assert "instance certificates has no Application" in ran.err


def test_check_compiles_a_cluster_that_was_not_compiled_here(
    commodore: CommandLine, tmp_path: Path, facts: str
) -> None:
    words = ("plan", "check", "--cluster", "c-demo-2", "--api-url", facts)

    ran = commodore("-d", str(tmp_path / "new"), *words)

    assert ran.code == 0, ran.err
    assert "the plan is valid" in ran.err
    assert not (tmp_path / "new").exists()


def test_check_prints_notices_as_json(commodore: CommandLine, work: Path) -> None:
    set_plan(work, PLAN)

    ran = commodore("-d", str(work), "plan", "check", "--driver", "plain", "-o", "json")

    assert ran.code == 0, ran.err
    codes = [one["code"] for one in json.loads(ran.out)["problems"]]
    assert "plan/removed" in codes


def test_a_plan_needs_a_compiled_working_directory(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("-d", str(tmp_path / "empty"), "plan", "show")

    assert ran.code == 1
    assert "catalog compile" in ran.err


@pytest.mark.parametrize("form", ["mermaid", "dot"])
def test_pictures_name_every_step(commodore: CommandLine, work: Path, form: str) -> None:
    set_plan(work, PLAN)

    ran = commodore("-d", str(work), "plan", "show", "-o", form)

    assert ran.code == 0
    assert '"certificates"' in ran.out


def test_render_shows_what_is_added_and_writes_nothing(commodore: CommandLine, work: Path) -> None:
    without = commodore("-d", str(work), "plan", "render", "--driver", "plain")
    set_plan(work, PLAN)
    before = {path: path.read_bytes() for path in (work / "compiled").rglob("*.y*ml")}

    ran = commodore("-d", str(work), "plan", "render", "--driver", "plain")

    assert (without.code, ran.code) == (1, 0)
    assert "no plan" in without.err
    assert "Added file manifests/plan/order.json" in ran.out
    assert "Deleted file manifests/backup/" in ran.out
    assert {path: path.read_bytes() for path in (work / "compiled").rglob("*.y*ml")} == before


def test_render_writes_folders_in_order(commodore: CommandLine, work: Path, tmp_path: Path) -> None:
    set_plan(work, PLAN)
    words = ("-d", str(work), "plan", "render", "--driver", "plain", "--output-dir")

    assert commodore(*words, str(tmp_path / "steps")).code == 0
    assert commodore(*words, str(tmp_path / "steps")).code == 0

    folders = sorted(path.name for path in (tmp_path / "steps").iterdir())
    assert folders[1:3] == ["010-certificates", "020-web-shop"]
    (tmp_path / "mine").write_text("")
    for folder in (tmp_path, work / "catalog"):
        ran = commodore(*words, str(folder))
        assert (ran.code, "--output-dir" in ran.err) == (1, True)
    assert (tmp_path / "mine").exists()


def test_what_a_driver_needs_is_reported_with_file_and_line(
    commodore: CommandLine, work: Path, tmp_path: Path
) -> None:
    set_plan(work, PLAN)

    ran = commodore("-d", str(work), "plan", "check", "--driver", "argocd")
    nowhere = commodore("-d", str(tmp_path / "no"), "plan", "check", "--driver", "argocd")

    assert (ran.code, nowhere.code) == (1, 2)
    assert "--cluster" in nowhere.err
    assert "instance certificates has no Application" in ran.err
    assert "common.yml:" in ran.err
    assert "render: true" in ran.err


def test_check_reads_the_order_back_from_what_is_rendered(
    commodore: CommandLine, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_plan(work, PLAN)
    words = ("-d", str(work), "plan", "check", "--driver", "plain")
    right = commodore(*words)
    monkeypatch.setattr(plain, "read_back", lambda _: Order(dict.fromkeys(STEPS, frozenset())))

    wrong = commodore(*words)

    assert (right.code, wrong.code) == (0, 1)
    assert "web-shop does not wait for certificates" in wrong.err
