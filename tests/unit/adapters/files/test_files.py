"""Files are written only where something changed; what is behind a link is never touched."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath

import pytest

from commodore_py.adapters.files import (
    link,
    read_tree,
    remove,
    write_if_changed,
    write_tree,
    write_trees,
)
from commodore_py.adapters.files.writing import opened_below
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry, Tree


def test_a_file_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "a/b.txt"

    assert write_if_changed(path, b"one")
    before = path.stat()

    assert not write_if_changed(path, b"one")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert [child.name for child in path.parent.iterdir()] == ["b.txt"]


def test_the_executable_bit_is_changed_alone_and_unchanged_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    write_if_changed(path, b"one", executable=True)

    assert not write_if_changed(path, b"one", executable=True)
    assert write_if_changed(path, b"two")
    assert path.stat().st_mode & 0o111
    assert write_if_changed(path, b"two", executable=False)
    assert not path.stat().st_mode & 0o111


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"one")
    (tmp_path / "link").symlink_to(target)

    assert write_if_changed(tmp_path / "link", b"two")

    assert not (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"one"


def test_removing_a_link_leaves_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/a.txt").touch()
    (tmp_path / "link").symlink_to(tmp_path / "folder")

    remove(tmp_path / "link")
    remove(tmp_path / "nothing")

    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder/a.txt").is_file()
    remove(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_relative_and_made_once(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    place = tmp_path / "a/b/link"

    link(place, tmp_path / "target")
    before = place.lstat().st_mtime_ns
    link(place, tmp_path / "target")

    assert place.readlink() == Path("../../target")
    assert place.lstat().st_mtime_ns == before


def test_a_link_is_pointed_elsewhere(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "old")

    link(tmp_path / "link", tmp_path / "new")

    assert (tmp_path / "link").readlink() == Path("new")
    assert (tmp_path / "old").is_dir()


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommodoreError) as caught:
        link(tmp_path / "link", tmp_path / "nothing")

    assert str(tmp_path / "nothing") in str(caught.value)
    assert caught.value.where == str(tmp_path / "link")


def test_a_tree_comes_back_as_it_was_written(tmp_path: Path) -> None:
    tree = Tree(
        {
            PurePosixPath("a/b.txt"): Entry(b"b"),
            PurePosixPath("run.sh"): Entry(b"#!", executable=True),
        },
        frozenset({PurePosixPath("empty/inner")}),
    )

    write_tree(tmp_path, tree)
    read = read_tree(tmp_path)

    assert read == tree
    assert read.empty_folders == tree.empty_folders


def test_writing_a_tree_removes_everything_but_protected_names(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").touch()
    folder = tmp_path / "folder"
    write_tree(folder, Tree({PurePosixPath("a/old.txt"): Entry(b"x")}))
    for name in (".kept", ".gone"):
        (folder / name).touch()
    (folder / "a/link").symlink_to(outside)
    same = Tree({PurePosixPath("a/new.txt"): Entry(b"y"), PurePosixPath("b"): Entry(b"z")})

    write_tree(folder, same, keep=frozenset({PurePosixPath(".kept")}))

    found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert found == {"a/new.txt", "b", ".kept"}
    assert (outside / "precious.txt").is_file()


def test_a_part_of_a_tree_is_written_as_a_tree_of_its_own(tmp_path: Path) -> None:
    part = Tree(
        {PurePosixPath("b/c"): Entry(b"x", executable=True), PurePosixPath("d"): Entry(b"y")},
        frozenset({PurePosixPath("e")}),
    )
    beside = Tree({PurePosixPath("ab/x"): Entry(b"z"), PurePosixPath("f"): Entry(b"z")})
    (tmp_path / "old").touch()

    write_tree(tmp_path, beside | part.below(PurePosixPath("a")), below=PurePosixPath("a"))

    read = read_tree(tmp_path)
    assert read == part
    assert read.empty_folders == part.empty_folders


def test_trees_are_written_into_folders_of_their_names(tmp_path: Path) -> None:
    tree = Tree(
        {PurePosixPath("b/c"): Entry(b"x", executable=True)}, frozenset({PurePosixPath("d")})
    )
    (tmp_path / "one").touch()
    (tmp_path / "gone/b").mkdir(parents=True)

    write_trees(tmp_path, {"one": tree, "two.x": Tree()})

    read = read_tree(tmp_path)
    assert read == tree.below(PurePosixPath("one"))
    assert set(map(str, read.empty_folders)) == {"one/d", "two.x"}


@pytest.mark.parametrize("private", [False, True])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path, *, private: bool) -> None:
    write_if_changed(tmp_path / "new/a", b"x", private=private)
    (tmp_path / "new/b").touch()

    expected = 0o600 if private else stat.S_IMODE((tmp_path / "new/b").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "new/a").stat().st_mode) == expected


def test_what_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    tree = Tree(
        {
            PurePosixPath("a/b"): Entry(b"x"),
            PurePosixPath("a/mode"): Entry(b"x"),
            PurePosixPath("a/text"): Entry(b"x"),
        }
    )
    write_tree(tmp_path, tree)
    (tmp_path / "a/mode").chmod(0o755)
    (tmp_path / "a/text").write_bytes(b"y")
    before = {path.name: path.stat().st_ino for path in (tmp_path / "a").iterdir()}

    write_tree(tmp_path, tree)

    after = {path.name: path.stat().st_ino for path in (tmp_path / "a").iterdir()}
    assert read_tree(tmp_path) == tree
    assert [name for name in sorted(after) if after[name] != before[name]] == ["text"]


def test_a_file_becomes_a_folder_and_back(tmp_path: Path) -> None:
    file = Tree({PurePosixPath("a"): Entry(b"x")})
    folder = Tree({PurePosixPath("a/b"): Entry(b"x")})

    for tree in (file, folder, file):
        write_tree(tmp_path, tree)

        assert read_tree(tmp_path) == tree


def test_a_kept_entry_gives_way_to_a_file_of_its_name(tmp_path: Path) -> None:
    (tmp_path / ".kept").mkdir()
    (tmp_path / ".kept/own").touch()
    wanted = Tree({PurePosixPath(".kept"): Entry(b"x")})

    write_tree(tmp_path, wanted, keep=frozenset({PurePosixPath(".kept")}))

    assert (tmp_path / ".kept").read_bytes() == b"x"


def test_a_folder_that_becomes_a_link_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a").symlink_to(outside)

    with pytest.raises(NotADirectoryError), opened_below(tmp_path / "root", "a"):
        pass
    write_tree(tmp_path / "root", Tree({PurePosixPath("a/b"): Entry(b"x")}))

    assert list(outside.iterdir()) == []
    assert (tmp_path / "root/a/b").read_bytes() == b"x"
