"""`commodore tool`: words, streams and exit codes, against releases on a loopback server."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.api import Reply, serve_api
from tests.support.tool_releases import Publisher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine, Ran

NEEDED_BY_SCRIPTS = ("sh", "env")


@dataclass(frozen=True)
class ToolCommand:
    """The command line, what it downloads from, and where it finds and puts programs."""

    commodore: CommandLine
    publisher: Publisher
    system: Path
    """The one folder of programs on PATH."""
    tools: Path

    def __call__(self, *arguments: str, **variables: str) -> Ran:
        mirror = {"COMMODORE_TOOL_MIRROR": self.publisher.api.url}
        return self.commodore("tool", *arguments, **{**mirror, **variables})

    @property
    def state(self) -> dict[str, str]:
        file = self.tools / "state.json"
        state: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        return state


@pytest.fixture
def tool_command(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ToolCommand]:
    system = tmp_path / "bin"
    system.mkdir()
    for name in NEEDED_BY_SCRIPTS:
        found = shutil.which(name)
        assert found
        (system / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(system))
    with serve_api() as api:
        tools = Path(os.environ["XDG_CACHE_HOME"]) / "commodore" / "tools"
        yield ToolCommand(commodore, Publisher(api), system, tools)


def all_latest(tool_command: ToolCommand) -> None:
    tool_command.publisher.latest("helm", "v3.18.4")
    tool_command.publisher.latest("jb", "v0.6.3")
    tool_command.publisher.latest("kustomize", "kustomize/v5.7.0")


# list


# the token


@pytest.mark.parametrize(
    ("words", "variable", "sent"),
    [
        (("--github-token", "group", "list"), "", "Bearer group"),
        (("list", "--github-token", "own"), "", "Bearer own"),
        (("--github-token", "group", "list", "--github-token", "own"), "", "Bearer own"),
        (("--github-token", "group", "list"), "variable", "Bearer group"),
        (("list", "--github-token", "own"), "variable", "Bearer own"),
        (("list",), "variable", "Bearer variable"),
        (("list",), "", None),
    ],
)
def test_github_token_is_read_from_option_and_variable(
    tool_command: ToolCommand, words: tuple[str, ...], variable: str, sent: str | None
) -> None:
    all_latest(tool_command)

    tool_command(*words, COMMODORE_GITHUB_TOKEN=variable)

    assert [request.token for request in tool_command.publisher.api.received] == [sent] * 3


def test_github_token_is_sent_only_to_api(tool_command: ToolCommand) -> None:
    tool_command.publisher.release("jb", "v0.6.3")
    tool_command.publisher.latest("jb", "v0.6.3")

    tool_command("install", "jb", "--github-token", "secret")

    tokens = {
        request.path.split("/")[1]: request.token for request in tool_command.publisher.api.received
    }
    assert tokens == {"api.github.com": "Bearer secret", "github.com": None}


# install


# upgrade


# what is invalid, and what is odd


def test_stalled_tool_download_times_out(tool_command: ToolCommand) -> None:
    tool_command.publisher.release("jb", "v1.2.3", file=Reply(body=b"x", silent=True))

    ran = tool_command("install", "jb", "--version", "v1.2.3", COMMODORE_REQUEST_TIMEOUT="1")

    assert ran.code == 1
    assert "error: no answer within 1 seconds\n" in ran.err
    assert "--request-timeout" in ran.err


def test_tool_install_without_home_is_an_error(
    tool_command: ToolCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)

    ran = tool_command("install", "jb", "--version", "v1.2.3")

    assert ran.code == 1
    assert "set HOME or XDG_CACHE_HOME" in ran.err
