"""Typing mistakes in every kind of file: errors name the line that is wrong, and what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to
from tests.support.servers.api import json_reply, serve_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def fleet(commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of one's own."""
    commodore("init", "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    return tmp_path / "fleet"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version: master", "version: mastre", "did you mean master?"),
        ("component-argocd.git", "component-argo.git", "does not appear to be a git repository"),
    ],
)
def test_unfetchable_component_reports_line(
    commodore: CommandLine, fleet: Path, old: str, new: str, says: str
) -> None:
    commodore("catalog", "compile", "c-fleet")
    text = (fleet / "inventory/classes/global/common.yml").read_text()
    commit_to(fleet / "repos/global.git", {"common.yml": text.replace(old, new)})

    ran = commodore("catalog", "compile", "c-fleet")

    line = next(number for number, one in enumerate(text.splitlines(), 1) if old in one)
    assert ran.code == 1
    assert f"  inventory/classes/global/common.yml:{line}\n" in ran.err
    assert says in ran.err


def test_rejected_token_names_its_origin(
    commodore: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_API_TOKEN", "t0")
    with serve_api() as api:
        api.on("GET /clusters/", json_reply({"reason": "who are you"}, 401))
        of_variable = commodore("catalog", "list", "--api-url", api.url)
        of_option = commodore("catalog", "list", "--api-url", api.url, "--api-token", "t1")

    assert "the token is that of COMMODORE_API_TOKEN" in of_variable.err
    assert "the token is that of --api-token" in of_option.err
