"""`commodore edit`: values change in the layer where they belong, checked by what they cause."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLUSTER = "inventory/classes/t-demo/c-demo-1.yml"
TENANT = "inventory/classes/t-demo/common.yml"


@pytest.fixture(scope="module")
def compiled(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        words = ("catalog", "compile", "c-demo-1", "--api-url", str(demo / "facts"))
        assert run(("-d", str(folder), *words)) == 0
    return folder


@pytest.fixture
def place(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A compiled working directory, whose files are put back afterwards."""
    monkeypatch.setenv("COMMODORE_WORKING_DIR", str(compiled))
    kept = {name: (compiled / name).read_bytes() for name in (CLUSTER, TENANT)}
    yield compiled
    for name, content in kept.items():
        (compiled / name).write_bytes(content)


@pytest.mark.parametrize("target", ["../params/cluster.yml", "../../../catalog/x.yml", "/nowhere"])
def test_linked_class_file_is_not_edited(commodore: CommandLine, place: Path, target: str) -> None:
    there = place / "catalog/x.yml"
    there.write_text("parameters: {}\n")
    (place / CLUSTER).unlink()
    (place / CLUSTER).symlink_to(target)
    try:
        ran = commodore("edit", "set", "a.b", "1")
        assert ran.code == 1
        assert there.read_text() == "parameters: {}\n"
    finally:
        (place / CLUSTER).unlink()
        there.unlink()


def test_applications_are_added_and_removed(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.workflows.editing.requests._HARM", {})  # namespaces go
    ran = commodore("edit", "remove", "applications", "backup", "--tenant")
    assert ran.code == 0
    assert "-  - backup\n" in ran.out
    assert f"{TENANT}:5 (lists backup now)" in ran.err
    assert commodore("edit", "get", "applications.backup").out == "false\n"
    assert "Nothing to do" in commodore("edit", "remove", "applications.backup").err

    ran = commodore("edit", "remove", "applications.database")
    assert (ran.code, (place / CLUSTER).read_text("utf-8").count("- ~database\n")) == (0, 1)
    ran = commodore("edit", "add", "applications", "database")
    assert (ran.code, (place / CLUSTER).read_text("utf-8").count("database\n")) == (0, 0)
    assert "- database\n" in commodore("edit", "get", "applications").out

    ran = commodore("edit", "add", "applications", "no-such-thing")
    assert ran.code == 1
    assert "no-such-thing is not a component" in ran.err


@pytest.mark.long
def test_instance_is_removed_by_its_own_name(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.workflows.editing.requests._HARM", {})  # namespaces go
    name = "applications.backup-archive"
    assert commodore("edit", "unset", "components.backup-archive", "--tenant").code == 0
    assert commodore("edit", "get", name).out == "true\n"
    assert "Nothing to do: the cluster has that" in commodore("edit", "add", name).err

    ran = commodore("edit", "remove", name)

    assert ran.code == 0, ran.err
    assert "- ~backup as backup-archive\n" in (place / CLUSTER).read_text("utf-8")
    assert commodore("edit", "get", name).out == "false\n"
