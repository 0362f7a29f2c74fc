"""The first commands of a user who has set nothing."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("words", ["catalog list", "catalog compile c-green-sky-1234"])
def test_missing_api_url_lists_alternatives(commodore: CommandLine, words: str) -> None:
    ran = commodore(*words.split())

    assert (ran.code, ran.out) == (1, "")
    assert "error: no API URL" in ran.err
    for way in ("--api-url", "COMMODORE_API_URL", "./facts", "commodore demo"):
        assert way in ran.err


@pytest.mark.parametrize("words", ["", "--help"])
def test_help_names_the_demo(commodore: CommandLine, words: str) -> None:
    ran = commodore(*words.split())

    assert "New here? `commodore demo` creates a playground" in ran.out + ran.err


def test_demo_prints_next_steps(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("demo", "play")

    assert (ran.code, ran.err) == (0, "")
    assert "  cd play\n" in ran.out
    assert "  commodore catalog compile c-demo-1 --push\n" in ran.out
    assert (tmp_path / "play" / ".env").is_file()


@pytest.mark.slow
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


def test_demo_prints_json(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("demo", "play", "-o", "json")

    content = json.loads(ran.out)
    assert content["schema"] == "demo/v1"
    assert content["directory"] == str(tmp_path / "play")
    assert content["clusters"] == ["c-demo-1", "c-demo-2"]


def test_unknown_cluster_suggests_similar(commodore: CommandLine, facts: str) -> None:
    ran = commodore("catalog", "compile", "c-deno-1", "--api-url", facts)

    assert ran.code == 1
    assert "error: cluster c-deno-1 is not known" in ran.err
    assert "c-demo-1" in ran.err.partition("hint:")[2]


@pytest.mark.parametrize("form", ["text", "json"])
def test_clean_removes_generated_folders(commodore: CommandLine, tmp_path: Path, form: str) -> None:
    for name in ("inventory", "compiled", "vendor", "dependencies/lib", "dependencies/one"):
        (tmp_path / name).mkdir(parents=True)

    ran = commodore("catalog", "clean", "-o", form)

    assert ran.code == 0
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["dependencies", "dependencies/one", "vendor"]
    assert ran.err.count(" > removed ") == 3
    if form == "json":
        content = json.loads(ran.out)
        assert content["schema"] == "catalog-clean/v1"
        assert len(content["removed"]) == 3
    else:
        assert ran.out == ""


def test_cleaning_nothing_is_fine(commodore: CommandLine) -> None:
    ran = commodore("catalog", "clean")

    assert (ran.code, ran.out) == (0, "")
    assert "removed" not in ran.err


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


@pytest.mark.parametrize(
    "words",
    [
        "catalog clean",
        "catalog diff",
        "component compile .",
        "component delete one-two --force",
        "component new x",
        "inventory explain c-one a.b",
        "package compile . tests/defaults.yml",
    ],
)
def test_failing_commands_create_no_files(
    commodore: CommandLine, tmp_path: Path, words: str
) -> None:
    commodore(*words.split())

    assert list(tmp_path.iterdir()) == []
