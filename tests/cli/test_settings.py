"""Flags, variables, files and defaults: which one counts, and what is reported."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.servers.api import serve_api
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


class Settings:
    """`commodore config show`, and the files it looks into."""

    def __init__(self, commodore: CommandLine, home: Path, folder: Path) -> None:
        self._commodore = commodore
        self.file = home / ".config" / "commodore" / "config.toml"
        self.dotenv = folder / ".env"

    def write(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, "utf-8")

    def all(self, *words: str, **variables: str) -> dict[str, Any]:
        ran = self._commodore(*words, "config", "show", "-o", "json", **variables)
        assert ran.code == 0, ran.err
        content: dict[str, Any] = json.loads(ran.out)
        assert content["schema"] == "config/v1"
        return content

    def __call__(
        self, option: str, *words: str, command: str = "", **variables: str
    ) -> tuple[Any, str, str | None]:
        """Value, origin and place of one setting."""
        found = {
            one["command"]: (one["value"], one["origin"], one["place"])
            for one in self.all(*words, **variables)["settings"]
            if one["name"] == option
        }
        if found:  # what several commands share belongs to none
            return found.get(command) or found[""]
        return None, "default", None


@pytest.fixture
def settings(commodore: CommandLine, empty_home: Path, tmp_path: Path) -> Settings:
    return Settings(commodore, empty_home, tmp_path)


@each(
    ("text", "message"),
    [
        (b"a = \n", "error: not valid TOML: "),
        (b"a = '\xff'\n", "error: the settings file is not valid UTF-8"),
        (b"a = " + b"[" * 100_000, "error: nested too deeply"),
        (b"\n\na = " + b"9" * 5_000, "error: not valid TOML: "),
        (b"[[catalog]]\na = 1\n", "error: unknown setting catalog in the top level"),
        (b"catalog = {compile = {push = 1}}\n", "push: expected true or false, not 1"),
        (b"request-timeout = 0x" + b"f" * 5_000 + b"\n", "at most 64 bits"),
        (b".".join([b"a"] * 3_000) + b" = 1\n", "nested too deeply"),
        (b"quiet = [[[0x" + b"f" * 5_000 + b"]]]\n", "at most 64 bits"),
        (b"[catalog.compile]\nprocesses = 1025\n", "1025 is not in the range"),
        (b"request-timeout = 999999999999\n", "is not in the range"),
        (b'cache-size = "' + b"9" * 400 + b'"\n', "is larger than any file system"),
    ],
)
def test_unreadable_settings_file_is_an_error(
    commodore: CommandLine, settings: Settings, text: bytes, message: str
) -> None:
    settings.write("")
    settings.file.write_bytes(text)

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    assert message in ran.err
    assert f"\n  {settings.file}" in ran.err


def test_settings_file_has_section_for_every_command(
    commodore: CommandLine, settings: Settings
) -> None:
    commands = {one["command"] for one in settings.all()["settings"]} - {"", "version"}
    lines = [f"[{command.replace(' ', '.')}]" for command in sorted(commands)]
    settings.write("\n".join([*lines, "[version]", 'output = "json"']))

    assert settings("output", command="version")[:2] == ("json", "file")
    assert commodore("--version").code == 0
    assert commodore("catalog", "clean").code == 0


def test_dotenv_may_be_a_pipe(settings: Settings) -> None:
    import threading  # only here

    os.mkfifo(settings.dotenv)
    writer = threading.Thread(target=settings.dotenv.write_text, args=("COMMODORE_QUIET=1\n",))
    writer.start()

    found = settings("quiet")

    writer.join()
    assert found[:2] == (True, "dotenv")


def test_managed_tools_come_first_wherever_dotenv_points(
    commodore: CommandLine, tmp_path: Path, empty_home: Path
) -> None:
    (tmp_path / ".env").write_text("XDG_CACHE_HOME=/elsewhere\n")
    tools = empty_home / ".cache" / "commodore" / "tools"
    tools.mkdir(parents=True)
    for name in ("helm", "jb", "kustomize"):
        (tools / name).write_text(f"#!/bin/sh\necho managed {name}\n")
        (tools / name).chmod(0o755)

    ran = commodore("version")

    assert ran.code == 0
    assert f"helm: {tools}/helm, version: managed helm\n" in ran.out


def test_removed_current_directory_is_an_error(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = tmp_path / "gone"
    removed.mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    assert "error: the current directory does not exist any more" in ran.err


def test_tool_install_without_home_is_an_error(
    commodore: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.home", nowhere)

    ran = commodore("tool", "install", "jb", "--version", "v1.2.3")

    assert ran.code == 1
    assert "set HOME or XDG_CACHE_HOME" in ran.err


def test_dotenv_with_exploding_references_is_ignored(
    settings: Settings, commodore: CommandLine
) -> None:
    lines = [f"X{n + 1}={f'${{X{n}}}' * 100}" for n in range(10)]
    settings.dotenv.write_text("X0=x\nCOMMODORE_QUIET=true\n" + "\n".join(lines))

    ran = commodore("config", "show")

    assert ran.code == 0
    assert "references in it add up to more than 1,048,576 characters" in ran.err


REDIRECTED = "the API that this file names gets a token that is not from this file"


def test_doctor_sends_no_token_to_api_of_dotenv(commodore: CommandLine, tmp_path: Path) -> None:
    with serve_api() as api:
        (tmp_path / ".env").write_text(f"COMMODORE_API_URL={api.url}\n")

        ran = commodore("doctor", COMMODORE_API_TOKEN="the-token")

    assert f"warning: {REDIRECTED}" in ran.err
    assert [one for one in api.received if one.token is not None] == []
