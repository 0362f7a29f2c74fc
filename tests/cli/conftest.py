"""Runs the command line in process, and a playground to run it in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo
from tests.support.command_line import CommandLine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def commodore(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return CommandLine(monkeypatch, read)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground that is never pushed to."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    write_demo(folder)
    return folder


@pytest.fixture
def facts(demo: Path) -> str:
    """The facts of the playground, as `--api-url`."""
    return str(demo / "facts")


@pytest.fixture(scope="session")
def work(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which the playground's first cluster was compiled."""
    folder = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        before = dict(os.environ)
        arguments = ("-d", str(folder), "catalog", "compile", "c-demo-1")
        assert run((*arguments, "--api-url", str(demo / "facts"))) == 0
        os.environ.clear()
        os.environ.update(before)
    return folder


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation as `init` makes it, whose cluster was compiled."""
    folder = tmp_path_factory.mktemp("installation") / "fleet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        before = dict(os.environ)
        assert run(("init", str(folder))) == 0
        facts = ("--api-url", str(folder / "facts"))
        assert run(("-d", str(folder), "catalog", "compile", "c-fleet", *facts)) == 0
        os.environ.clear()
        os.environ.update(before)
    return folder


@pytest.fixture(scope="session")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground whose first cluster is compiled, pushed and locked."""
    folder = tmp_path_factory.mktemp("typed") / "demo"
    write_demo(folder)
    api = ("--api-url", str(folder / "facts"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        before = dict(os.environ)
        assert run(("-d", str(folder), "catalog", "compile", "c-demo-1", "--push", *api)) == 0
        lock = str(folder / "demo.lock")
        assert run(("-d", str(folder), "lock", "create", "c-demo-1", "--lock", lock, *api)) == 0
        os.environ.clear()
        os.environ.update(before)
    return folder
