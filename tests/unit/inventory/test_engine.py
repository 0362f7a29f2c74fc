"""The engine: what neither golden hierarchies nor the comparison with reclass-rs show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import Engine

if TYPE_CHECKING:
    from pathlib import Path


def test_symlinked_files_and_folders_are_classes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.yml").touch()
    (tmp_path / "file.yml").symlink_to("a/b.yml")
    (tmp_path / "folder").symlink_to("a")

    files = ClassFiles([("", tmp_path)])

    assert sorted(files.names()) == ["a.b", "file", "folder.b"]


def test_longer_class_path_parses_no_file_again(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("parameters: {k: 1}\n")
    first = ClassFiles([("", tmp_path)]).load("a")
    (tmp_path / "b.yml").write_text("parameters: {k: 2}\n")
    longer = ClassFiles([("", tmp_path)])

    assert longer.load("a") is first
    assert longer.load("b").parameters.items == {"k": 2}


def test_ignored_key_is_warned_of_in_each_file_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "b", "a"):
        (tmp_path / f"{name}.yml").write_text("parametrs: {k: 1}\n")
        ClassFiles([("", tmp_path)]).load(name)

    assert [message.partition(": ")[0] for message in caplog.messages] == [
        f"{tmp_path}/a.yml:1",
        f"{tmp_path}/b.yml:1",
    ]


def test_failing_references_are_resolved_once() -> None:
    # Two layers each: tried again for every layer above, they would be tried 2 ** 60 times.
    chain = "".join(f"  p{n}: ${{p{n + 1}}}\n" for n in range(60))
    layers = {name: f"parameters:\n{chain}".encode() for name in "ab"}
    engine = Engine(ClassFiles((), generated=layers), missing_ok=False)

    with pytest.raises(CommodoreError, match="60 problems"):
        engine.render("t", {"classes": [*layers], "parameters": {}}, "")
