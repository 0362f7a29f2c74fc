"""`commodore version`: everything that shapes the output."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from commodore_py import COMPATIBLE_WITH, __version__

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"#!/bin/sh\necho ' v1 of {name} '\n")
        (folder / name).chmod(0o755)


def test_version_lists_libraries_and_tools(commodore: CommandLine, bin_: Path) -> None:
    install(bin_, "helm", "jb", "kustomize")

    ran = commodore("version")

    first, *lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert first == f"Commodore {__version__} (compatible with Commodore {COMPATIBLE_WITH})"
    assert lines[:2] == ["", "Core dependency versions"]
    assert re.fullmatch(r"kapitan: 0\.\d+\.\d+", lines[2])
    assert re.fullmatch(r"gojsonnet: \S+, build info: Go compiler: go1\.\d+\S*", lines[3])
    assert re.fullmatch(r"reclass-rs: \S+, build info: Rust compiler: rustc 1\..+", lines[4])
    assert lines[5:7] == ["", "External tool versions"]
    assert lines[7:] == [
        f"{name}: {bin_}/{name}, version: v1 of {name}" for name in ("helm", "jb", "kustomize")
    ]


@pytest.mark.parametrize(
    "missing",
    [
        pytest.param("helm"),
        pytest.param("kustomize"),
    ],
)
def test_missing_tool_exits_127_and_lists_others(
    commodore: CommandLine, bin_: Path, missing: str
) -> None:
    install(bin_, *{"helm", "jb", "kustomize"} - {missing})

    ran = commodore("version")

    assert ran.code == 127
    assert f"\n{missing}: NOT FOUND IN PATH\n" in ran.out
    assert ran.out.count(", version: v1 of") == 2


def test_built_in_tool_is_not_missing(commodore: CommandLine, bin_: Path) -> None:
    install(bin_, "helm", "kustomize")

    ran = commodore("version")

    assert ran.code == 0
    assert "\njb: built in\n" in ran.out


def test_version_prints_json(commodore: CommandLine, bin_: Path) -> None:
    install(bin_, "helm", "jb")

    ran = commodore("version", "-o", "json")

    content = json.loads(ran.out)
    assert ran.code == 127
    assert (content["schema"], content["version"]) == ("version/v1", __version__)
    assert [tool["path"] for tool in content["tools"]] == [f"{bin_}/helm", f"{bin_}/jb", None]
    assert [one["name"] for one in content["libraries"]] == ["kapitan", "gojsonnet", "reclass-rs"]
