"""Class names and where their files lie."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import (
    BrokenLink,
    ClassFiles,
    DuplicateClass,
    absolute_name,
)
from tests.support.tables import each


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"parameters: {{from: {name!r}}}\n")
    return folder


@each(
    ("name", "folder", "expected"),
    [
        ("a.b", "t", "a.b"),
        (".common", "t", "t.common"),
        ("..root", "t", "root"),
        ("...root", "t", "root"),
        (".....root", "t/u", "root"),
        ("..x.y", "t/u", "t.x.y"),
        (".x", "", "x"),
        (".", "t", "t."),
    ],
)
def test_leading_dots_lead_up(name: str, folder: str, expected: str) -> None:
    assert absolute_name(name, PurePosixPath(folder)) == expected


def test_a_class_is_called_after_its_path(tmp_path: Path) -> None:
    files = ClassFiles(
        [("", write(tmp_path, "a.yml", "b/c.yaml", "d/init.yml", "e.f.yml", "g.txt"))]
    )

    assert sorted(files.names()) == ["a", "b.c", "d", "e.f"]


def test_relative_names_of_an_init_file_start_above_its_folder(tmp_path: Path) -> None:
    files = ClassFiles([("", write(tmp_path, "a/b/init.yml", "a/b/c.yml"))])

    assert files.folder("a.b") == PurePosixPath("a")
    assert files.folder("a.b.c") == PurePosixPath("a/b")


def test_files_and_folders_behind_symlinks_are_classes_too(tmp_path: Path) -> None:
    write(tmp_path, "a/b.yml")
    (tmp_path / "file.yml").symlink_to("a/b.yml")
    (tmp_path / "folder").symlink_to("a")

    files = ClassFiles([("", tmp_path)])

    assert sorted(files.names()) == ["a.b", "file", "folder.b"]


@pytest.mark.parametrize("other", ["a/b.yaml", "a.b.yml", "a/b/init.yml"])
def test_two_files_of_one_class_are_named(tmp_path: Path, other: str) -> None:
    write(tmp_path, "a/b.yml", other)

    with pytest.raises(DuplicateClass, match=r"a\.b") as refused:
        ClassFiles([("", tmp_path)])

    assert {Path(line) for line in refused.value.where.splitlines()} == {
        tmp_path / "a/b.yml",
        tmp_path / other,
    }


@pytest.mark.parametrize("target", ["nowhere", ".", "link"])
def test_a_symlink_that_leads_nowhere_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "link").symlink_to(target)

    with pytest.raises(BrokenLink) as refused:
        ClassFiles([("", tmp_path)])

    assert refused.value.where == str(tmp_path / "link")


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


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_bytes("parameters: {}\n".encode("utf-16"))

    with pytest.raises(CommodoreError, match="UTF-8"):
        ClassFiles([("", tmp_path)]).load("a")
