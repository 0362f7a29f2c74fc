"""`commodore plan`, in a working directory that was compiled."""

from __future__ import annotations

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


def test_plan_check_verifies_rendered_order(
    commodore: CommandLine, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_plan(work, PLAN)
    words = ("-d", str(work), "plan", "check", "--driver", "plain")
    right = commodore(*words)
    monkeypatch.setattr(plain, "read_back", lambda _: Order(dict.fromkeys(STEPS, frozenset())))

    wrong = commodore(*words)

    assert (right.code, wrong.code) == (0, 1)
    assert "web-shop does not wait for certificates" in wrong.err
