"""The first commands of a user who has set nothing."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine


@pytest.mark.slow
@pytest.mark.long
def test_suggested_demo_steps_change_a_manifest(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suggested = write_demo(tmp_path / "play ground").next_steps
    monkeypatch.chdir(shlex.split(suggested[0])[1])
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Baker")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "baker@example.com")

    for step in suggested[1:]:
        ran = commodore(*shlex.split(step)[1:])
        assert ran.code == 0, step + ran.err

    assert "+  replicas: 3" in ran.out


_SEARCHED: list[str] = []
_ACTIVE: list[bool] = []


def _note_folder(event: str, arguments: tuple[object, ...]) -> None:
    # A hook stays for good: it must not fail in other tests.
    if _ACTIVE and event in {"os.scandir", "os.listdir"}:
        _SEARCHED.append(str(Path(os.fsdecode(str(arguments[0] or "."))).absolute()))


sys.addaudithook(_note_folder)


@contextmanager
def nothing_created_or_searched(folder: Path) -> Iterator[None]:
    """The folder keeps its one file, and nothing lists its content."""
    (folder / "mine").mkdir()
    (folder / "mine/file").touch()
    _SEARCHED.clear()
    _ACTIVE.append(True)
    try:
        yield
    finally:
        _ACTIVE.clear()
    searched = [one for one in _SEARCHED if one.startswith(str(folder))]
    assert searched == []
    assert sorted(path.name for path in folder.rglob("*")) == ["file", "mine"]


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--local",
        "--offline",
        "--api-url ./none",
        "--api-url file:///none",
        "--api-url http://127.0.0.1:9",
        "--api-url http://127.0.0.1:9 --api-token one",
        "--api-url http:// --api-token one",
        "--output-dir out",
        "--no-cache",
        "--local --output-dir out",
    ],
)
@pytest.mark.parametrize("cluster", ["c-one", "../c"])
def test_wrong_settings_are_reported_before_anything_is_created_or_searched(
    commodore: CommandLine, tmp_path: Path, options: str, cluster: str
) -> None:
    with nothing_created_or_searched(tmp_path):
        ran = commodore("catalog", "compile", cluster, *options.split())

    assert ran.code == 1
    assert "error: " in ran.err


def test_unknown_cluster_creates_no_file(
    commodore: CommandLine, tmp_path: Path, facts: str
) -> None:
    with nothing_created_or_searched(tmp_path):
        ran = commodore("catalog", "compile", "c-none", "--api-url", facts)

    assert ran.code == 1
