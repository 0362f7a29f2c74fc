"""Mistakes in facts and versions: each error has the line that is wrong, and what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to
from tests.support.servers.api import json_reply, serve_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLUSTER, TENANT = "facts/clusters/c-fleet.yaml", "facts/tenants/t-fleet.yaml"


@pytest.fixture
def fleet(commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of one's own."""
    commodore("init", "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    return tmp_path / "fleet"


@pytest.mark.parametrize(
    ("mistake", "place", "says"),
    [
        ((CLUSTER, '"t-fleet"', '"t-fleeet"'), f"{CLUSTER}:3", "did you mean t-fleet?"),
        ((CLUSTER, "gitRepo:\n  url:", "gitRepo:\n  ulr:"), f"{CLUSTER}:9", "write url, not ulr"),
        ((TENANT, "gitRepo:\n  url:", "gitRepo:\n  ulr:"), f"{TENANT}:5", "write url, not ulr"),
        ((CLUSTER, "facts:\n  ", "facts:\n\t"), f"{CLUSTER}:6:1", "a tab indents this line"),
        ((CLUSTER, "fleet", "fl\udce9et"), f"{CLUSTER}:2", "save the file as UTF-8"),
        (
            (CLUSTER, "facts:", "tenantGitRepoRevision: mastr\nfacts:"),
            f"{CLUSTER}:5",
            "did you mean master?",
        ),
        (
            (TENANT, "gitRepo:", "globalGitRepoRevision: nope\ngitRepo:"),
            f"{TENANT}:4",
            "check globalGitRepoRevision",
        ),
        ((TENANT, "/global.git", "/glbal.git"), f"{TENANT}:6", "does not appear to be a git"),
    ],
)
def test_mistakes_in_facts_have_a_line(
    commodore: CommandLine, fleet: Path, mistake: tuple[str, str, str], place: str, says: str
) -> None:
    file, old, new = mistake
    text = (fleet / file).read_text()
    assert old in text
    changed = text.replace(old, new, 1)
    (fleet / file).write_bytes(changed.encode(errors="surrogateescape"))

    ran = commodore("catalog", "compile", "c-fleet")

    assert ran.code == 1
    assert f"  {place}\n" in ran.err
    assert says in ran.err
    assert "Please make sure you have the correct access rights" not in ran.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version: master", "version: mastre", "did you mean master?"),
        ("component-argocd.git", "component-argo.git", "does not appear to be a git repository"),
    ],
)
def test_components_that_cannot_be_fetched_have_a_line(
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


def test_a_rejected_token_names_where_it_came_from(
    commodore: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_API_TOKEN", "t0")
    with serve_api() as api:
        api.on("GET /clusters/", json_reply({"reason": "who are you"}, 401))
        of_variable = commodore("catalog", "list", "--api-url", api.url)
        of_option = commodore("catalog", "list", "--api-url", api.url, "--api-token", "t1")

    assert "the token is that of COMMODORE_API_TOKEN" in of_variable.err
    assert "the token is that of --api-token" in of_option.err
