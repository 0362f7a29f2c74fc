"""`catalog diff`, and `catalog compile` with other forms of its diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.catalog.diff.objects import object_diff
from commodore_py.cli.output.differences import as_markdown
from commodore_py.model.catalog import Change, FileChange
from tests.support.builders import commit_in, git
from tests.support.fleet import Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{value}'}}\n"
CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A catalog with two commits, and one file that is not committed."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    git(folder, "init", "--quiet")
    commit_in(folder, {"manifests/a.yaml": a_map("one", 1), "manifests/b.yaml": CLAIM})
    (folder / "manifests/b.yaml").unlink()
    commit_in(folder, {"manifests/a.yaml": a_map("one", 2)})
    (folder / "manifests/c.yaml").write_text(a_map("new", 1))
    return folder


def a_map(name: str, value: int) -> str:
    return MAP.format(name=name, value=value)


def test_diff_of_working_tree_does_not_change_git(commodore: CommandLine, checkout: Path) -> None:
    def state() -> list[str]:
        return [git(checkout, *words) for words in (("status", "--short"), ("count-objects", "-v"))]

    before = state()

    ran = commodore("-d", str(checkout.parent), "catalog", "diff")

    assert "created ConfigMap new" in ran.out
    assert "1 created (1 none)" in ran.out
    assert state() == before


def test_long_markdown_diff_counts_omitted_entries() -> None:
    files = (
        FileChange(
            "added",
            f"{n}.yaml",
            f"{n}.yaml",
            b"",
            MAP.format(name="é" * 40 + str(n), value=n).encode(),
        )
        for n in range(3000)
    )

    text = as_markdown.object_diff(object_diff(Change(tuple(files))))

    lines = text.splitlines()
    shown = sum(line.startswith("- created") for line in lines)
    assert 50_000 < len(text.encode()) <= as_markdown.LONGEST
    assert lines[2] == "**objects: 3000 created (3000 none)**"
    assert lines[-1] == (
        f"_Omitted because of the size limit: {3000 - shown} entries ({3000 - shown} none)._"
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """A cluster with one component."""
    return make_fleet(tmp_path / "fleet", one={})
