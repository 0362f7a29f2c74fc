"""`commodore tool`: words, streams and exit codes, against releases on a loopback server."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.api import Reply, error_reply, serve_api
from tests.support.tool_releases import Publisher, program_script, rate_limited, write_program

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

    def manage(self, **versions: str) -> None:
        """Have these tools installed already."""
        self.tools.mkdir(parents=True, exist_ok=True)
        for name, version in versions.items():
            write_program(self.tools, name, program_script(version))
        state = dict.fromkeys(versions, "2026-01-09T15:20:00")
        (self.tools / "state.json").write_text(json.dumps(state))


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


def test_list_shows_every_tool_and_how_it_stands(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1", jb="v0.6.3")
    write_program(tool_command.system, "kustomize", program_script("v5.7.0"))
    all_latest(tool_command)

    ran = tool_command("list")

    assert ran.code == 0
    assert ran.out == (
        "helm v3.9.1\n"
        f"Location:       {tool_command.tools}/helm\n"
        "Managed:        True\n"
        "Latest version: v3.18.4 (Upgrade available!)\n"
        "Updated:        2026-01-09T15:20:00\n"
        "jb v0.6.3\n"
        f"Location:       {tool_command.tools}/jb\n"
        "Managed:        True\n"
        "Latest version: v0.6.3 (No upgrade available)\n"
        "Updated:        2026-01-09T15:20:00\n"
        "kustomize v5.7.0\n"
        f"Location:       {tool_command.system}/kustomize\n"
        "Managed:        False\n"
        "Latest version: v5.7.0 (No upgrade available)\n"
        "Updated:        UNKNOWN\n"
    )
    assert ran.err == " > querying GitHub for the latest versions\n"


@pytest.mark.parametrize("flag", ["-V", "--skip-version-check"])
def test_list_sends_no_requests_if_disabled(tool_command: ToolCommand, flag: str) -> None:
    tool_command.manage(helm="v3.9.1")

    ran = tool_command("list", flag)

    assert ran.code == 0
    assert "Latest version: N/A (Version check skipped)\n" in ran.out
    assert tool_command.publisher.api.received == []


def test_missing_tools_are_a_line_each(tool_command: ToolCommand) -> None:
    ran = tool_command("list", "-V")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "helm missing!",
        "jb built in (the program is not used)",
        "kustomize missing!",
    ]


def test_list_shows_path_of_tool_that_does_not_run(
    tool_command: ToolCommand,
) -> None:
    broken = write_program(tool_command.system, "helm", b"\x7fELF is not a program")

    ran = tool_command("list", "-V")

    assert ran.out.splitlines()[0] == f"helm missing! ({broken} does not run)"


def test_the_version_of_a_tool_that_ends_with_an_error_is_shown(tool_command: ToolCommand) -> None:
    write_program(tool_command.system, "helm", program_script(script="echo v3.1.0 >&2; exit 1"))

    assert tool_command("list", "-V").out.startswith("helm v3.1.0\n")


def test_list_for_programs(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    all_latest(tool_command)

    ran = tool_command("list", "-o", "json")

    result = json.loads(ran.out)
    assert result["schema"] == "tool-list/v1"
    assert result["tools"][:2] == [
        {
            "name": "helm",
            "path": f"{tool_command.tools}/helm",
            "version": "v3.9.1",
            "managed": True,
            "latest": "v3.18.4",
            "upgradable": True,
            "remark": None,
            "updated": "2026-01-09T15:20:00",
        },
        {
            "name": "jb",
            "path": None,
            "version": None,
            "managed": False,
            "latest": "v0.6.3",
            "upgradable": None,
            "remark": "not used",
            "updated": None,
        },
    ]


def test_list_lists_although_github_limits(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    all_latest(tool_command)
    tool_command.publisher.on_latest("helm", rate_limited())

    ran = tool_command("list")

    assert ran.code == 0
    assert "Latest version: N/A (Version check failed)\n" in ran.out
    assert "warning: the rate limit of GitHub is exceeded" in ran.err
    assert "is reset at 2096-10-02 07:06 UTC" in ran.err
    assert "COMMODORE_GITHUB_TOKEN" in ran.err
    assert len(tool_command.publisher.api.received) == 1


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
def test_the_token_counts_wherever_it_is_given(
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


@pytest.mark.parametrize(("words", "shown"), [(("list",), False), (("list", "-v"), True)])
def test_details_show_a_missing_token(
    tool_command: ToolCommand, words: tuple[str, ...], shown: bool
) -> None:
    all_latest(tool_command)

    assert ("without a token" in tool_command(*words).err) == shown


# install


def test_install_brings_the_latest_version(tool_command: ToolCommand) -> None:
    tool_command.publisher.latest("helm", "v3.18.4")
    tool_command.publisher.release("helm", "v3.18.4")

    ran = tool_command("install", "helm")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "Installing helm v3.18.4\n"
    assert list(tool_command.state) == ["helm"]
    assert tool_command("list", "-V").out.startswith("helm v3.18.4\n")


@pytest.mark.parametrize("version", ["5.6.0", "v5.6.0"])
def test_install_installs_the_requested_version(tool_command: ToolCommand, version: str) -> None:
    tool_command.publisher.release("kustomize", "v5.6.0")

    ran = tool_command("install", "kustomize", "--version", version)

    assert (ran.code, ran.err) == (0, "Installing kustomize v5.6.0\n")
    assert tool_command.publisher.request_count("api.github.com") == 0


def test_details_name_what_is_downloaded(tool_command: ToolCommand) -> None:
    release = tool_command.publisher.release("jb", "v0.6.3")

    ran = tool_command("install", "jb", "-v", "--version", "v0.6.3")

    assert f"downloading {release.url}" in ran.err
    assert f"verified the checksum of {release.file}" in ran.err


def test_install_of_a_tool_that_only_the_system_has(tool_command: ToolCommand) -> None:
    write_program(tool_command.system, "jb", program_script("v0.1.0"))
    tool_command.publisher.release("jb", "v0.6.3")

    ran = tool_command("install", "jb", "--version", "v0.6.3")

    assert (ran.code, list(tool_command.state)) == (0, ["jb"])
    assert f"{tool_command.tools}/jb" in tool_command("list", "-V").out


def test_install_missing_brings_what_is_not_managed(tool_command: ToolCommand) -> None:
    tool_command.manage(jb="v0.6.0")
    all_latest(tool_command)
    tool_command.publisher.release("helm", "v3.18.4")
    tool_command.publisher.release("kustomize", "v5.7.0")

    ran = tool_command("install", "--missing")

    assert ran.code == 0
    assert ran.err.splitlines() == [
        "Installing helm v3.18.4",
        " > jb is already managed; use `commodore tool upgrade jb` to upgrade it",
        "Installing kustomize v5.7.0",
    ]
    assert sorted(tool_command.state) == ["helm", "jb", "kustomize"]
    assert tool_command("list", "-V").out.count("Managed:        True") == 3


def test_opa_is_installed_by_name_only(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.18.4", jb="v0.6.3", kustomize="v5.7.0")
    tool_command.publisher.latest("opa", "v1.22.3")
    tool_command.publisher.release("opa", "v1.22.3", program=program_script("1.22.3"))

    missing = tool_command("install", "--missing")
    before = tool_command("list", "-V").out
    ran = tool_command("install", "opa")
    after = tool_command("list", "-V").out
    upgraded = tool_command("upgrade", "opa")

    assert "all tools are managed" in missing.err
    assert (ran.code, ran.err) == (0, "Installing opa v1.22.3\n")
    assert "opa" not in before
    assert f"opa 1.22.3\nLocation:       {tool_command.tools}/opa\n" in after
    assert upgraded.err == " > opa v1.22.3 is already installed\n"


def test_install_missing_with_nothing_missing(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v1.0.0", jb="v1.0.0", kustomize="v1.0.0")

    ran = tool_command("install", "--missing")

    assert ran.code == 0
    assert "commodore tool upgrade --all" in ran.err
    assert tool_command.publisher.api.received == []


def test_the_first_failure_ends_an_installation_of_all(tool_command: ToolCommand) -> None:
    all_latest(tool_command)
    tool_command.publisher.release("helm", "v3.18.4")

    ran = tool_command("install", "--missing")

    assert ran.code == 1
    assert "while installing jb v0.6.3" in ran.err
    assert list(tool_command.state) == ["helm"]


# upgrade


def test_upgrade_brings_the_latest_version(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    tool_command.publisher.latest("helm", "v3.18.4")
    tool_command.publisher.release("helm", "v3.18.4")

    ran = tool_command("upgrade", "helm")

    assert (ran.code, ran.err) == (0, "Installing helm v3.18.4\n")
    assert tool_command.state["helm"] > "2026-01-09T15:20:00"
    assert tool_command("list", "-V").out.startswith("helm v3.18.4\n")


def test_upgrade_goes_back_as_well(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    tool_command.publisher.release("helm", "v3.1.0")

    ran = tool_command("upgrade", "helm", "--version", "3.1.0")

    assert ran.code == 0
    assert tool_command("list", "-V").out.startswith("helm v3.1.0\n")


def test_upgrade_to_the_present_version_downloads_nothing(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.18.4")
    tool_command.publisher.latest("helm", "v3.18.4")

    ran = tool_command("upgrade", "helm")

    assert (ran.code, ran.err) == (0, " > helm v3.18.4 is already installed\n")
    assert tool_command.publisher.request_count("get.helm.sh") == 0


def test_upgrade_all_takes_every_managed_tool(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1", jb="v0.6.0")
    all_latest(tool_command)
    tool_command.publisher.release("helm", "v3.18.4")
    tool_command.publisher.release("jb", "v0.6.3")

    ran = tool_command("upgrade", "--all")

    assert ran.code == 0
    assert ran.err.splitlines()[:2] == ["Installing helm v3.18.4", "Installing jb v0.6.3"]
    assert ran.err.splitlines()[2].startswith(" > kustomize is not managed")


def test_upgrade_all_takes_opa_if_it_is_managed(tool_command: ToolCommand) -> None:
    tool_command.manage(opa="1.20.0")
    tool_command.publisher.latest("opa", "v1.22.3")
    tool_command.publisher.release("opa", "v1.22.3", program=program_script("1.22.3"))

    ran = tool_command("upgrade", "--all")

    assert ran.code == 0
    assert "Installing opa v1.22.3\n" in ran.err
    assert (tool_command.tools / "opa").read_bytes() == program_script("1.22.3")


def test_upgrade_all_with_nothing_managed(tool_command: ToolCommand) -> None:
    ran = tool_command("upgrade", "--all")

    assert ran.code == 0
    assert "commodore tool install --missing" in ran.err


def test_failed_upgrade_keeps_present_version(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    tool_command.publisher.release("helm", "v3.18.4", checksums="0" * 64 + "  {file}\n")

    ran = tool_command("upgrade", "helm", "--version", "v3.18.4")

    assert ran.code == 1
    assert "while installing helm v3.18.4; the present version stays in use" in ran.err
    assert tool_command.state == {"helm": "2026-01-09T15:20:00"}
    assert tool_command("list", "-V").out.startswith("helm v3.9.1\n")


# what is invalid, and what is odd


@pytest.mark.parametrize(("command", "flag"), [("install", "--missing"), ("upgrade", "--all")])
@pytest.mark.parametrize("both", [False, True])
def test_exactly_one_of_tool_and_flag(
    tool_command: ToolCommand, command: str, flag: str, both: bool
) -> None:
    ran = tool_command(command, *(("helm", flag) if both else ()))

    assert (ran.code, ran.out) == (1, "")
    assert f"error: expected either a tool or {flag}\n" in ran.err


@pytest.mark.parametrize("command", ["install", "upgrade"])
def test_unknown_tool_is_an_error(tool_command: ToolCommand, command: str) -> None:
    ran = tool_command(command, "kubectl")

    assert (ran.code, ran.out) == (1, "")
    assert "error: unknown tool kubectl" in ran.err
    assert "helm, jb, kustomize, opa" in ran.err


@pytest.mark.parametrize(("command", "flag"), [("install", "--missing"), ("upgrade", "--all")])
def test_one_version_for_all_is_ignored(tool_command: ToolCommand, command: str, flag: str) -> None:
    tool_command.manage(helm="v3.18.4", jb="v0.6.3", kustomize="v5.7.0")
    all_latest(tool_command)

    ran = tool_command(command, flag, "--version", "v1.0.0")

    assert ran.code == 0
    assert f"warning: --version is ignored with {flag}" in ran.err
    assert "v1.0.0" not in ran.err


def test_install_leaves_a_managed_tool_to_upgrade(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")

    ran = tool_command("install", "helm", "--version", "v3.18.4")

    assert ran.code == 0
    assert "commodore tool upgrade helm" in ran.err
    assert tool_command.publisher.api.received == []


def test_upgrade_leaves_an_unmanaged_tool_to_install(tool_command: ToolCommand) -> None:
    write_program(tool_command.system, "helm", program_script("v3.9.1"))

    ran = tool_command("upgrade", "helm")

    assert ran.code == 0
    assert "commodore tool install helm" in ran.err
    assert tool_command.publisher.api.received == []


@pytest.mark.parametrize("command", [("list", "-V"), ("install", "jb", "--version", "v0.6.3")])
def test_tool_installed_elsewhere_stops_being_managed(
    tool_command: ToolCommand, command: tuple[str, ...]
) -> None:
    tool_command.manage(helm="v3.9.1", jb="v0.6.0")
    (tool_command.tools / "helm").unlink()
    elsewhere = write_program(tool_command.system, "helm", program_script("v3.1.0"))

    ran = tool_command(*command)

    assert ran.code == 0
    assert "warning: helm is no longer managed: another installation is used" in ran.err
    assert elsewhere.name in ran.err
    assert list(tool_command.state) == ["jb"]


@pytest.mark.parametrize("words", [("helm", "--version", "v3.18.4"), ("--missing",)])
def test_missing_managed_tool_is_installed_again(
    tool_command: ToolCommand, words: tuple[str, ...]
) -> None:
    tool_command.manage(helm="v3.9.1", jb="v0.6.3", kustomize="v5.7.0")
    (tool_command.tools / "helm").unlink()
    all_latest(tool_command)
    tool_command.publisher.release("helm", "v3.18.4")

    before = tool_command("list", "-V")
    ran = tool_command("install", *words)

    assert before.out.startswith("helm missing!\n")
    assert (ran.code, ran.out) == (0, "")
    assert "warning: helm is managed but missing: installing it again\n" in ran.err
    assert tool_command("list", "-V").out.startswith("helm v3.18.4\n")


def test_missing_managed_tool_can_be_upgraded(tool_command: ToolCommand) -> None:
    tool_command.manage(helm="v3.9.1")
    (tool_command.tools / "helm").unlink()
    tool_command.publisher.release("helm", "v3.18.4")

    ran = tool_command("upgrade", "helm", "--version", "v3.18.4")

    assert ran.code == 0
    assert tool_command("list", "-V").out.startswith("helm v3.18.4\n")


@pytest.mark.parametrize("command", [("list", "-V"), ("install", "jb"), ("upgrade", "--all")])
def test_damaged_tool_record_is_an_error(
    tool_command: ToolCommand, command: tuple[str, ...]
) -> None:
    tool_command.manage(helm="v3.9.1")
    (tool_command.tools / "state.json").write_text("{not json")

    ran = tool_command(*command)

    assert (ran.code, ran.out) == (1, "")
    assert "error: cannot read the record of managed tools: not valid JSON" in ran.err
    assert f"  {tool_command.tools}/state.json\n" in ran.err
    assert "commodore tool install --missing" in ran.err


def test_help_needs_no_record(tool_command: ToolCommand) -> None:
    tool_command.manage()
    (tool_command.tools / "state.json").write_text("{not json")

    assert tool_command("list", "--help").code == 0


@pytest.mark.parametrize("command", ["install", "upgrade"])
def test_no_latest_version_is_an_error(tool_command: ToolCommand, command: str) -> None:
    if command == "upgrade":
        tool_command.manage(jb="v0.6.0")
    tool_command.publisher.on_latest("jb", rate_limited())

    ran = tool_command(command, "jb")

    assert (ran.code, ran.out) == (1, "")
    assert "error: the rate limit of GitHub is exceeded" in ran.err
    assert "api.github.com/repos/projectsyn/jsonnet-bundler/releases/latest" in ran.err


@pytest.mark.parametrize("tool", ["helm", "jb", "kustomize"])
def test_failed_tool_download_is_an_error(tool_command: ToolCommand, tool: str) -> None:
    release = tool_command.publisher.release(tool, "v1.2.3", file=error_reply(500, "no disk"))

    ran = tool_command("install", tool, "--version", "v1.2.3")

    assert (ran.code, ran.out) == (1, "")
    assert "error: answered 500 Internal Server Error: no disk\n" in ran.err
    assert f"  {release.url}\n" in ran.err
    assert f"  while installing {tool} v1.2.3\n" in ran.err


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
