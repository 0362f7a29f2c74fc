"""What the cases of `sync` cannot say: the working directory is free while it waits for GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import github
from tests.support.servers.github import TOKEN, serve
from tests.support.sync_cases import host_made
from tests.support.templates import change_template

if TYPE_CHECKING:
    from commodore_py.adapters.http.github import HostedRepository, Proposal
    from tests.support.command_line import CommandLine


@pytest.mark.long
def test_working_directory_is_free_during_requests(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[list[Path]] = []

    def propose(repository: HostedRepository, proposal: Proposal) -> tuple[str, str]:
        runs.append(list(Path("work").rglob("running")))
        return github.propose(repository, proposal)

    monkeypatch.setattr("commodore_py.workflows.authoring.sync.propose", propose)
    with serve() as server:
        host_made(commodore, Path.cwd(), tmp_path / "kept", server, {"one": "component"})
        change_template(Path("template").absolute(), {"new": "x\n"})
        words = ("component", "sync", "list.yaml", "--github-token", TOKEN, "--trust")
        ran = commodore("-d", "work", *words, COMMODORE_GITHUB_URL=server.url)

    assert ran.code == 0, ran.err
    assert runs == [[]]
